// How far a document is: the checkpoint of its one stage, and what receipt and log are written from. Plain JSON.
import type { Receipt } from '../../engine/receipt.ts';
import type { Unit } from './extract/page.ts';
import { type GradeSums, noGrade } from './grade.ts';

export interface PageCounts {
  readonly text: number;
  readonly ocr: number;
  readonly empty: number;
  readonly rejected: number;
}

export interface Timings {
  readonly extract_ms: number;
  readonly chunk_ms: number;
  readonly embed_ms: number;
  readonly fts_ms: number;
  readonly db_write_ms: number;
}

export interface ProcessState {
  /** pages → chunks → vectors → terms → activate → done. */
  readonly step: 'pages' | 'chunks' | 'vectors' | 'terms' | 'activate' | 'done';
  readonly versionId: string;
  readonly unit: Unit;
  readonly notes: readonly string[];
  /** Pages of the document, once it was opened. */
  readonly pages: number;
  readonly nextPage: number;
  readonly fates: PageCounts;
  readonly grade: GradeSums;
  /** A page without text that says why. */
  readonly whyNot?: { readonly pageNo: number; readonly reason: string };
  readonly chunks: number;
  readonly tokens: number;
  readonly passages: number;
  /** The chunk that embedding, then indexing goes on with. */
  readonly nextChunk: number;
  readonly embedded: number;
  readonly reused: number;
  /** The model these were counted of. */
  readonly modelId?: string;
  readonly language: string | null;
  readonly config: string;
  readonly timings: Timings;
  /** How activation ended. */
  readonly end?: 'active' | 'superseded' | 'unchanged';
}

export function freshState(versionId: string): ProcessState {
  return {
    step: 'pages',
    versionId,
    unit: 'page',
    notes: [],
    pages: 0,
    nextPage: 1,
    fates: { text: 0, ocr: 0, empty: 0, rejected: 0 },
    grade: noGrade,
    chunks: 0,
    tokens: 0,
    passages: 0,
    nextChunk: 0,
    embedded: 0,
    reused: 0,
    language: null,
    config: 'simple',
    timings: { extract_ms: 0, chunk_ms: 0, embed_ms: 0, fts_ms: 0, db_write_ms: 0 },
  };
}

export function receiptOf(state: ProcessState): Receipt {
  const outcomes = Object.entries(state.fates).filter(([, count]) => count > 0);
  return {
    read: state.pages,
    outcomes: Object.fromEntries(outcomes),
    docs_processed: 1,
    chunks_created: state.chunks,
    tokens_total: state.tokens,
    passages: state.passages,
    embedded: state.embedded,
    reused: state.reused,
    version: state.end ?? 'active',
  };
}

/** Adds what `work` takes to one of the timings. */
export async function timed<T>(
  state: ProcessState,
  part: keyof Timings,
  work: () => Promise<T>,
): Promise<{ value: T; timings: Timings }> {
  const startedAt = performance.now();
  const value = await work();
  const ms = Math.round(performance.now() - startedAt);
  return { value, timings: { ...state.timings, [part]: state.timings[part] + ms } };
}

// What the stages and handlers of the documents pipeline share.
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Embedder } from './embedding/embedder.ts';
import type { ExtractionLimits } from './extract/extraction-process.ts';
import type { SearchDeps } from './search/search-deps.ts';

export interface DocumentsDeps {
  readonly store: BlobStore;
  /** Of the settings: what a tenant begins with. */
  readonly embedder: Embedder;
  readonly search: SearchDeps;
  /** The other models of this installation. */
  readonly otherEmbedders?: readonly Embedder[];
  /** How much of the time the build of vectors may work, in percent. */
  readonly buildShare?: number;
  readonly limits: ExtractionLimits;
  readonly ocr: 'auto' | 'off';
  readonly ocrLanguage: string;
  readonly tessdata: string;
  readonly artifacts: string;
  readonly keepRaw: 'keep' | 'delete';
  readonly failedTtlDays: number;
  readonly activation: 'monotonic' | 'last-completed';
  /** Runs are delivered to workers; one that was not for this long is overdue. Left out: workers claim them. */
  readonly overdueAfterMs?: number | undefined;
  /** Pages per checkpoint; small in tests. */
  readonly pagesPerPart?: number;
  /** Passages per checkpoint. */
  readonly passagesPerPart?: number;
}

export const PAGES_PER_PART = 20;
export const PASSAGES_PER_PART = 64;

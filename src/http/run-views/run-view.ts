// A run as the API shows it, from its row.
import type { AnswerOf } from '../../contract/api/client.ts';
import { entryOf, isErrorCode } from '../../contract/errors/catalogue.ts';
import { sentence } from '../../contract/errors/millrace-error.ts';
import { storedAdvice } from '../../contract/errors/stored-advice.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';

export type RunView = AnswerOf<'runs.list'>['data'][number];

const titleWords = ['title', 'filename', 'original_filename', 'source_batch_id', 'name'] as const;

export function viewRun(row: ShownRun): RunView {
  return {
    run_id: row.id,
    pipeline: row.pipeline,
    status: row.status,
    phase: row.phase,
    stage: row.stage,
    title: titleOf(row),
    source: row.source,
    lane: row.lane,
    priority: row.priority,
    attempt: row.attempt,
    held: row.held_at === null ? null : { at: row.held_at.toISOString(), by: row.held_by },
    receipt: row.receipt as RunView['receipt'],
    progress: viewProgress(row),
    rejects: { total: row.receipt?.outcomes?.rejected ?? 0, open: null },
    error: viewError(row.error_code, row.error_text),
    retry_of: row.retry_of,
    retried_as: row.retried_as,
    requeued_as: row.requeued_as,
    acknowledged: viewAcknowledgement(row),
    created_by: row.created_by_name,
    correlation_id: row.correlation_id,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}

/** Names the input for a person: the file's name, or whatever the input calls itself. */
export function titleOf(row: Pick<ShownRun, 'original_name' | 'input' | 'unique_key'>): string | null {
  const named = titleWords.map((word) => textOf(row.input[word])).find((text) => text !== null);
  return row.original_name ?? named ?? row.unique_key;
}

/** A catalogued code brings its own advice. */
export function viewError(code: string | null, text: string | null): RunView['error'] {
  if (code === null) return null;
  const entry = isErrorCode(code) ? entryOf(code) : undefined;
  return {
    code,
    message: text ?? (entry === undefined ? code : sentence(entry.message)),
    next: storedAdvice(code, text),
  };
}

function viewAcknowledgement(row: ShownRun): RunView['acknowledged'] {
  const { acknowledged_at: at, acknowledged_by: by, acknowledged_for: reason } = row;
  return at === null || by === null || reason === null ? null : { at: at.toISOString(), by, reason };
}

function viewProgress(row: ShownRun): RunView['progress'] {
  if (row.progress_done === null || row.progress_at === null) return null;
  const elapsedS = row.claimed_at === null ? 0 : (row.progress_at.getTime() - row.claimed_at.getTime()) / 1000;
  const perSecond = elapsedS > 0 ? row.progress_done / elapsedS : null;
  const left = row.progress_total === null ? null : Math.max(0, row.progress_total - row.progress_done);
  const etaMs = left === null || !perSecond ? null : row.progress_at.getTime() + (left / perSecond) * 1000;
  return {
    done: row.progress_done,
    total: row.progress_total,
    unit: row.progress_unit ?? 'items',
    per_second: perSecond === null ? null : Math.round(perSecond * 10) / 10,
    eta_at: etaMs === null ? null : new Date(etaMs).toISOString(),
    at: row.progress_at.toISOString(),
  };
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

// A run in the shape of the document specification: four statuses, how it came to be, what was uploaded, its receipt as numbers.
// Everything is read from the ledger; nothing is kept twice. Says nothing of where the server keeps its files.
import { type AnswerOf, urlOf } from '../../contract/api/client.ts';
import { type IngestionStatus, runTypes } from '../../contract/api/ingestion-runs.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { textOf, titleOf, viewError } from './run-view.ts';

export type IngestionRunView = AnswerOf<'ingestion-runs.show'>;
type Phase = ShownRun['phase'];

/**
 * waiting  queued     also between two stages, before the next try, and held: nobody works on it
 * active   running
 * done     succeeded  also partial: rows that were refused or left out are in the stats
 * failed   failed     also cancelled, which the error says
 * dead     failed     not tried again by itself
 */
const statusOfPhase: Readonly<Record<Phase, IngestionStatus>> = {
  waiting: 'queued',
  active: 'running',
  done: 'succeeded',
  failed: 'failed',
  dead: 'failed',
};

/** The phases some of the four statuses stand for, as a filter of the runs list takes them. */
export function phasesOf(statuses: readonly string[]): readonly Phase[] {
  const phases = Object.keys(statusOfPhase) as Phase[];
  return phases.filter((phase) => statuses.includes(statusOfPhase[phase]));
}

/** `channel`: how runs of its pipeline always come in, where there is but one way. */
export function viewIngestionRun(row: ShownRun, channel?: string): IngestionRunView {
  const status = statusOfPhase[row.phase];
  // A run that waits for its next try keeps what went wrong last; it has not failed.
  const error = status === 'failed' ? viewError(row.error_code, row.error_text) : null;
  return {
    run_id: row.id,
    tenant_id: row.tenant_id,
    status,
    run_type: runTypeOf(row),
    pipeline: row.pipeline,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    updated_at: new Date(Math.max(row.updated_at.getTime(), row.progress_at?.getTime() ?? 0)).toISOString(),
    config: configOf(row, channel),
    stats: statsOf(row.receipt),
    error: error?.message ?? null,
    error_code: error?.code ?? null,
    held: row.held_at !== null,
    attempts: 1,
    work_run_id: row.id,
  };
}

function configOf(row: ShownRun, channel: string | undefined): IngestionRunView['config'] {
  return {
    source_type: channel ?? channelOf(row),
    created_by_user_id: row.created_by_user_id,
    // Not where the bytes are stored, which stays inside the server, but where the caller can fetch them with its own rights.
    upload_uri: row.blob_id === null ? null : urlOf('uploads.original', { params: { upload_id: row.id } }),
    title: textOf(row.input.title) ?? titleOf(row),
    original_filename: row.original_name,
    content_type: row.file_type,
    file_size_bytes: row.file_bytes,
    content_hash: row.file_sha256 === null ? null : `sha256:${row.file_sha256}`,
    retry_of: row.retry_of,
    retried_as: row.retried_as,
    replay_of: textOf(row.input.replay_of),
  };
}

/** The part of a source's name that says what kind it is: the rest may be a path of the server or a bucket. */
const typeOfSource: ReadonlyMap<string, IngestionRunView['run_type']> = new Map([
  ['upload', 'manual_upload'],
  ['api', 'api'],
  ['webhook', 'webhook'],
  ['folder', 'folder'],
  ['s3', 's3_sync'],
  ['airbyte', 'airbyte_sync'],
  ['schedule', 'schedule'],
]);

function runTypeOf(row: ShownRun): IngestionRunView['run_type'] {
  if (textOf(row.input.replay_of) !== null) return 'replay';
  // A pipeline that says how a file came in keeps saying so of the retry, which config.retry_of names.
  const said = runTypes.find((type) => type === row.input.run_type);
  if (said !== undefined) return said;
  if (row.retry_of !== null) return 'retry';
  return typeOfSource.get(sourceKindOf(row)) ?? 'source';
}

function channelOf(row: ShownRun): string {
  const kind = sourceKindOf(row);
  return typeOfSource.has(kind) ? kind : 'source';
}

/** Named by the ledger, else by the input, else by whether there was a file: without one a program asked for it. */
function sourceKindOf(row: ShownRun): string {
  const name = row.source_id ?? textOf(row.input.source) ?? (row.blob_id === null ? 'api' : 'upload');
  const kind = name.split(':', 1)[0] ?? name;
  return kind === 'manual' ? 'upload' : kind;
}

/** Every count of the receipt under its own name. Control totals are exact decimals and stay with the run. */
function statsOf(receipt: ShownRun['receipt']): Record<string, number> | null {
  if (receipt === null) return null;
  const counts = Object.entries({ ...receipt, ...receipt.outcomes });
  return Object.fromEntries(counts.filter((each): each is [string, number] => typeof each[1] === 'number'));
}

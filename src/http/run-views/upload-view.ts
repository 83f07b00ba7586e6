// An upload is a run that started with a file. This is that run in the words of the upload contract.
import type { AnswerOf } from '../../contract/api/client.ts';
import type { UploadFacts } from '../../engine/reads/read-upload-facts.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { titleOf, viewRun } from './run-view.ts';

export type UploadView = AnswerOf<'uploads.list'>['data'][number];

export function viewUpload(row: ShownRun, facts: UploadFacts | undefined): UploadView {
  const text = (name: string) => {
    const value = row.input[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    upload_id: row.id,
    workspace_id: row.tenant_id,
    client_id: text('client_id'),
    pipeline: row.pipeline,
    platform: text('platform'),
    source: text('source') ?? 'manual',
    filename: titleOf(row),
    size_bytes: facts?.bytes ?? null,
    sha256: facts?.sha256 ?? null,
    status: row.status,
    phase: row.phase,
    row_count: rowCountOf(row),
    receipt: viewRun(row).receipt,
    error_text: row.error_text,
    reported_at: text('reported_at'),
    same_bytes_as: facts?.same_bytes_as ?? null,
    created_by: row.created_by_name,
    created_at: row.created_at.toISOString(),
  };
}

/** As in the view data_uploads: the rows that are in the tables, once the upload has ended well. */
function rowCountOf({ phase, receipt }: ShownRun): number | null {
  if (phase !== 'done' || receipt === null) return null;
  return typeof receipt.promoted === 'number' ? receipt.promoted : receipt.read;
}

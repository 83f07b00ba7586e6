// How an upload was read, stored beside its staging: parse writes it; promotion and the pages of the upload read it.
import type { Queryable } from '../../../platform/database.ts';
import type { Reading, ReadingOverrides } from '../../../tabular/reading.ts';
import { grainName, grainOf } from '../grain.ts';
import type { ParseCounts, SetAsideRow } from '../parse-counts.ts';
import type { AppliedMapping, UploadChoices } from '../reading.ts';

export interface UploadReading {
  readonly reading: Reading;
  readonly mapping: AppliedMapping;
  /** What a person had set, passed on from retry to retry. */
  readonly overrides?: ReadingOverrides | null;
  /** Said for this file alone; passed on as well. */
  readonly choices?: UploadChoices | null;
}

export async function insertUploadReading(
  db: Queryable,
  upload: { readonly uploadId: string; readonly workspaceId: string } & UploadReading,
): Promise<void> {
  const grain = grainOf(upload);
  await db.query({
    name: 'ads-insert-upload-reading',
    text: `
      insert into upload_readings (upload_id, workspace_id, reading, mapping, overrides, grain, part, choices)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (upload_id) do update
      set reading = excluded.reading, mapping = excluded.mapping, grain = excluded.grain, part = excluded.part, updated_at = engine.now()`,
    values: [
      upload.uploadId,
      upload.workspaceId,
      JSON.stringify(upload.reading),
      JSON.stringify(upload.mapping),
      upload.overrides == null ? null : JSON.stringify(upload.overrides),
      grainName(grain),
      grain.part,
      upload.choices == null ? null : JSON.stringify(upload.choices),
    ],
  });
}

export async function updateUploadCounts(
  db: Queryable,
  upload: { readonly uploadId: string; readonly counts: ParseCounts; readonly furniture: readonly SetAsideRow[] },
): Promise<void> {
  await db.query({
    name: 'ads-update-upload-counts',
    text: `update upload_readings set counts = $2, furniture = $3, updated_at = engine.now() where upload_id = $1`,
    values: [upload.uploadId, JSON.stringify(upload.counts), JSON.stringify(upload.furniture)],
  });
}

export interface UploadReadingRow extends UploadReading {
  readonly counts: ParseCounts;
  readonly furniture: readonly SetAsideRow[];
}

/** Undefined while nothing has been decided. */
export async function selectUploadReading(db: Queryable, uploadId: string): Promise<UploadReadingRow | undefined> {
  const { rows } = await db.query<UploadReadingRow>({
    name: 'ads-select-upload-reading',
    text: `select reading, mapping, counts, furniture from upload_readings where upload_id = $1 and reading is not null`,
    values: [uploadId],
  });
  return rows[0];
}

/** What a person wants to be read otherwise; by the run itself or, for a retry, by the run it retries. */
export async function selectOverrides(db: Queryable, uploadId: string): Promise<ReadingOverrides | null> {
  const { rows } = await db.query<{ overrides: ReadingOverrides | null }>({
    name: 'ads-select-overrides',
    text: `select overrides from upload_readings where upload_id = $1`,
    values: [uploadId],
  });
  return rows[0]?.overrides ?? null;
}

export async function selectChoices(db: Queryable, uploadId: string): Promise<UploadChoices | null> {
  const { rows } = await db.query<{ choices: UploadChoices | null }>({
    name: 'ads-select-choices',
    text: `select choices from upload_readings where upload_id = $1`,
    values: [uploadId],
  });
  return rows[0]?.choices ?? null;
}

export async function upsertChoices(
  db: Queryable,
  upload: { readonly uploadId: string; readonly workspaceId: string; readonly choices: UploadChoices },
): Promise<void> {
  await db.query({
    name: 'ads-upsert-choices',
    text: `
      insert into upload_readings (upload_id, workspace_id, choices)
      values ($1, $2, $3)
      on conflict (upload_id) do update set choices = excluded.choices, updated_at = engine.now()`,
    values: [upload.uploadId, upload.workspaceId, JSON.stringify(upload.choices)],
  });
}

export async function upsertOverrides(
  db: Queryable,
  upload: { readonly uploadId: string; readonly workspaceId: string; readonly overrides: ReadingOverrides },
): Promise<void> {
  await db.query({
    name: 'ads-upsert-overrides',
    text: `
      insert into upload_readings (upload_id, workspace_id, overrides)
      values ($1, $2, $3)
      on conflict (upload_id) do update set overrides = excluded.overrides, updated_at = engine.now()`,
    values: [upload.uploadId, upload.workspaceId, JSON.stringify(upload.overrides)],
  });
}

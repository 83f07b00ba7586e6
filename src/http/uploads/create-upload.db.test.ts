// POST /v1/uploads with several pipelines that take files: each judges its own, whichever comes first in the list and in the form.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildTenant, buildUser, type TestUser, useApi } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../../test/support/engine.ts';
import { field, filePart, form, multipartType } from '../../../test/support/multipart.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { DiskBlobStore } from '../../platform/blob/disk-blob-store.ts';
import type { Intake } from '../../sources/intake.ts';
import { createUploadHandlers } from './create-upload.ts';
import { defaultUploadLimits } from './upload-limits.ts';

const db = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-create-upload-'));
const store = new DiskBlobStore({ root: folder });
const names = ['tables', 'papers'] as const;
let engine: Awaited<ReturnType<typeof buildEngine>>;
let admin: TestUser;

beforeAll(async () => {
  engine = await buildEngine(
    db.appUrl,
    names.map((name) => buildPipeline(name, async () => 'complete')),
  );
  admin = await buildUser(db, await buildTenant(db));
});
afterAll(async () => {
  await engine.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const isPaper = (head: Uint8Array) => Buffer.from(head).toString('latin1').startsWith('%PDF-');

function intakeOf(name: (typeof names)[number]): Intake {
  return {
    title: name,
    accepts: [],
    fields: z.object({}),
    sniff(head) {
      if (isPaper(head) === (name === 'papers')) return { format: name, mediaType: 'application/octet-stream' };
      throw new MillraceError('format_unsupported', { found: `nothing for ${name}` });
    },
    async accept({ tenantId, file, createdBy }) {
      const { id } = await engine.enqueue({ pipeline: name, tenantId, input: {}, blobId: file.blobId, createdBy });
      return { runId: id, status: 'queued', created: true };
    },
  };
}

const api = useApi(db, () => ({
  engine,
  pipelines: {
    tables: { intake: intakeOf('tables'), isDefault: true },
    papers: { intake: intakeOf('papers') },
  },
  handlers: createUploadHandlers({ store, limits: defaultUploadLimits }),
}));

const table = filePart('file.bin', 'a,b\n1,2\n');
const paper = filePart('file.bin', '%PDF-1.7 …');
const upload = async (...parts: Buffer[]) => {
  const headers = { 'content-type': multipartType };
  const answer = await api.call('uploads.create', { as: admin, body: form(...parts), headers });
  return { status: answer.statusCode, body: answer.json() };
};
const kept = async () => {
  const { rows } = await db.admin.query('select format from engine.blobs where deleted_at is null and tenant_id = $1', [
    admin.tenantId,
  ]);
  return rows.length;
};

describe.each(['before', 'after'] as const)('a file whose pipeline is named %s it', (when) => {
  const named = (pipeline: string, file: Buffer) =>
    upload(...(when === 'before' ? [field('pipeline', pipeline), file] : [file, field('pipeline', pipeline)]));

  it.each([
    ['tables', table],
    ['papers', paper],
  ] as const)('becomes a run of %s, in the format that this pipeline says it has', async (pipeline, file) => {
    const { status, body } = await named(pipeline, file);
    expect([status, body.status]).toEqual([202, 'pending']);
    expect(await engine.run(admin.tenantId, body.upload_id)).toMatchObject({ pipeline });
    const { rows } = await db.admin.query(
      'select b.format from engine.runs r join engine.blobs b on b.blob_id = r.blob_id where r.id = $1',
      [body.upload_id],
    );
    expect(rows).toEqual([{ format: pipeline }]);
  });

  it.each([
    ['tables', paper],
    ['papers', table],
  ] as const)(
    'is refused in the words of %s when only another pipeline takes it, and is not kept',
    async (pipeline, file) => {
      const before = await kept();
      const { status, body } = await named(pipeline, file);
      expect([status, body.code]).toEqual([415, 'format_unsupported']);
      expect(body.detail).toContain(`nothing for ${pipeline}`);
      expect(await kept()).toBe(before);
    },
  );
});

it('a file that names no pipeline is for the one that takes uploads by default, and is judged by no other', async () => {
  expect((await upload(table)).status).toBe(202);
  expect((await upload(paper)).body).toMatchObject({ code: 'format_unsupported' });
});

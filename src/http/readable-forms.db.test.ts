// Generated from the route table: no form of any route takes text that cannot be stored, or a field it does not know. A form that is added
// later is in here without anybody thinking of it.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { documentHandlers } from '../../test/support/documents.ts';
import { documentsDeps } from '../../test/support/documents-deps.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { itemsHandlers } from '../../test/support/items.ts';
import { itemsDeps } from '../../test/support/items-deps.ts';
import { boundary, field, filePart, form, multipartType } from '../../test/support/multipart.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import type { RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { adsHandlers, adsIntake } from '../pipelines/ads/http/ads-handlers.ts';
import { batchHandlers } from '../pipelines/judgments/http/batch-handlers.ts';
import { DiskBlobStore } from '../platform/blob/disk-blob-store.ts';
import { createUploadHandlers } from './uploads/create-upload.ts';
import { defaultUploadLimits } from './uploads/upload-limits.ts';

const db = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-forms-'));
const store = new DiskBlobStore({ root: folder });
let engine: Awaited<ReturnType<typeof buildEngine>>;
let admin: TestUser;
beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [buildPipeline('steady', async () => ({ on: 'fail' }) as never)]);
  admin = await buildUser(db, await buildTenant(db), 'admin');
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});
const api = useApi(db, () => ({
  engine,
  pipelines: { ads: { intake: adsIntake(engine) } },
  handlers: {
    ...adsHandlers({ store }),
    ...batchHandlers({ store }),
    ...createUploadHandlers({ store, limits: defaultUploadLimits }),
    ...documentHandlers(documentsDeps(folder, { store })),
    ...itemsHandlers({ ...itemsDeps(folder), store }),
  },
}));

const forms = (Object.keys(operations) as OperationId[]).filter(
  (operation) => (routes[operation] as RouteSpec).bodyKind === 'multipart',
);
/** A text file is a document and a table alike. */
const nameOf = (operation: OperationId) => (operation.startsWith('documents.') ? 'a.txt' : 'a.csv');
const fileOf = (operation: OperationId, name = nameOf(operation)) => filePart(name, 'id,price\n1,2\n');
const NUL = '\0';
/** Half a character, as some programs write it in UTF-8. */
const half = Buffer.from([0xed, 0xa0, 0x80]);

function part(head: readonly (string | Buffer)[], value: string | Buffer = 'x'): Buffer {
  const pieces = [`--${boundary}\r\n`, ...head, '\r\n\r\n', value, '\r\n'];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
}

/** Wherever a form holds text: values, names of fields, names of files in both spellings, other headers. */
const hostile: Readonly<Record<string, (operation: OperationId) => Buffer[]>> = {
  'a NUL in a value': (operation) => [field('workspace_id', `a${NUL}`), fileOf(operation)],
  'half a character in a value': (operation) => [
    part(['content-disposition: form-data; name="workspace_id"'], half),
    fileOf(operation),
  ],
  'a NUL in the name of a field': (operation) => [field(`workspace_id${NUL}`, 'a'), fileOf(operation)],
  'half a character in the name of a field': (operation) => [
    part(['content-disposition: form-data; name="work', half, '"']),
    fileOf(operation),
  ],
  'a NUL in the name of the file': (operation) => [fileOf(operation, `a${NUL}${nameOf(operation)}`)],
  'a NUL in the encoded name of the file': (operation) => [
    part([`content-disposition: form-data; name="file"; filename*=UTF-8''a%00${nameOf(operation)}`], 'id,price\n1,2\n'),
  ],
  'half a character in the encoded name of the file': (operation) => [
    part([`content-disposition: form-data; name="file"; filename*=UTF-8''%ED%A0%80${nameOf(operation)}`], 'id\n1\n'),
  ],
  'a NUL in another header': (operation) => [
    part([`content-disposition: form-data; name="x"\r\ncontent-type: text/plain${NUL}`]),
    fileOf(operation),
  ],
};

const send = (operation: OperationId, parts: readonly Buffer[]) =>
  api.call(operation, { as: admin, body: form(...parts), headers: { 'content-type': multipartType } });
const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

describe.each(forms)('the form of %s', (operation) => {
  it.each(Object.entries(hostile))('refuses %s and keeps nothing', async (_, parts) => {
    const answer = await send(operation, parts(operation));
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'upload_malformed']);
    expect(files()).toEqual([]);
  });

  it('refuses a field it does not know with the one that is spelt most like it', async () => {
    const known = Object.keys(((routes[operation] as RouteSpec).body as { shape?: object } | undefined)?.shape ?? {});
    const given = known.includes('workspace_id') ? 'workspace_idd' : `${known[0]}e`;
    const answer = await send(operation, [field(given, 'x'), fileOf(operation)]);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'name_unknown']);
    expect(answer.json().detail).toContain(`"${given}"; did you mean "${given.slice(0, -1)}"?`);
    expect(files()).toEqual([]);
  });
});

describe('JSON', () => {
  it.each([
    ['uploads.create', 'reading', { platform: 'meta' }],
    ['jobs.create', 'options', {}],
  ] as const)('in a field of the form of %s is looked into: %s', async (operation, name, others) => {
    for (const text of ['{"sheet":"a\\u0000"}', '{"sheet":"a\\ud800"}', '{"a\\u0000":1}']) {
      const fields = Object.entries(others).map(([other, value]) => field(other, value));
      const answer = await send(operation, [...fields, field(name, text), fileOf(operation)]);
      expect([text, answer.statusCode, answer.json().code]).toEqual([text, 400, 'text_unstorable']);
    }
    expect(files()).toEqual([]);
  });

  it('of rows has no field that nobody reads: a misspelt one would silently decide nothing', async () => {
    const body = { platform: 'meta', source: 'api', on_dobt: 'fail', rows: [{ Day: '2024-01-01' }] };
    const answer = await api.call('uploads.create', { as: admin, body });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'name_unknown']);
    expect(answer.json().detail).toContain('"on_dobt"; did you mean "on_doubt"?');
    expect(files()).toEqual([]);
  });
});

it('there are forms', () => {
  expect(forms.length).toBeGreaterThanOrEqual(6);
});

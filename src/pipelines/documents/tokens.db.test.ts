// Tokens are the active model's of the tenant: what a chunk may hold, what the receipt counts and what a job payload names.
import { expect, it } from 'vitest';
import { prose, useDocuments } from '../../../test/support/documents.ts';
import { hashEmbedder } from '../../../test/support/documents-deps.ts';
import { silentLog } from '../../platform/log.ts';
import { buildPayload, runOfPayload } from './delivery/job-payload.ts';
import { buildPart } from './model-swap/build-vectors.ts';

const standard = hashEmbedder();
/** Needs three tokens where the standard one needs one. */
const wide = { ...hashEmbedder('wide@1'), countTokens: (text: string) => 3 * standard.countTokens(text) };
const bench = useDocuments({ embedder: standard, otherEmbedders: [wide], buildShare: 100 });
const { api } = bench;

const chunksOf = async (docId: string) => {
  const { rows } = await bench.db.admin.query<{ text: string; token_count: number }>(
    'select text, token_count from chunks where doc_id = $1 order by chunk_no',
    [docId],
  );
  return rows;
};
const payloadDeps = () => ({ engine: bench.engine, store: bench.deps.store, embedders: bench.deps });

it('a tenant that changed to another model gets chunks measured by it, and payloads that name it; the one before is still taken', async () => {
  const first = await bench.ingest(`${prose(1, 120).join('\n\n')}\n`, 'one.txt');
  const before = await chunksOf(first.docId);
  for (const { text, token_count: tokens } of before) expect(tokens).toBe(standard.countTokens(text));
  const old = await buildPayload(payloadDeps(), first.run, 1);
  expect(old).toMatchObject({ embedding_model: 'hash', embedding_dim: 8 });

  const change = (what: 'add' | 'activate') =>
    api.call(`models.${what}`, { as: bench.admin, body: { model_id: 'wide@1' } });
  expect((await change('add')).statusCode).toBe(201);
  const building = { pool: bench.engine.pools.control, deps: bench.deps, log: silentLog };
  while ((await buildPart(building, wide)) !== undefined);
  expect((await change('activate')).statusCode).toBe(200);

  const second = await bench.ingest(`${prose(2, 120).join('\n\n')}\n`, 'two.txt');
  const after = await chunksOf(second.docId);
  for (const { text, token_count: tokens } of after) {
    expect(tokens).toBe(wide.countTokens(text));
    expect(tokens).toBeLessThanOrEqual(800);
  }
  expect(after.length).toBeGreaterThan(2 * before.length);
  expect(second.run.receipt?.tokens_total).toBe(after.reduce((sum, { token_count: tokens }) => sum + tokens, 0));
  const payload = await buildPayload(payloadDeps(), second.run, 1);
  expect(payload).toMatchObject({ embedding_model: 'wide', embedding_dim: 8 });
  expect(await runOfPayload(payloadDeps(), payload)).toMatchObject({ id: second.run.id });
  // Sent before the change, heard after it.
  expect(await runOfPayload(payloadDeps(), old)).toMatchObject({ id: first.run.id });
  await expect(runOfPayload(payloadDeps(), { ...payload, embedding_model: 'neither' })).rejects.toThrow(
    /wide with 8 dimensions, hash with 8 dimensions/,
  );
});

// A small dose of the documents suite on every test run, and the auditor itself. The landing dose is `npm run chaos -- documents`.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilePrograms } from '../support/programs.ts';
import { runDocumentsChaos } from './documents.ts';
import { auditDocuments } from './documents-audit.ts';
import { openMessages } from './documents-messages.ts';
import { type ChaosServer, openChaosServer } from './ground.ts';
import { noCounts } from './suites/suite.ts';

let server: ChaosServer;

beforeAll(async () => {
  compilePrograms();
  server = await openChaosServer();
});
afterAll(() => server.close());

it('documents whose workers are killed in any part, and the database with them, end once and serve the newest observation', async () => {
  const { counts, findings, details } = await runDocumentsChaos(
    { seed: 20_261_117, kills: 5, workers: 2, stops: 1 },
    { server },
  );
  expect([counts, findings]).toEqual([noCounts, []]);
  expect(details).toMatchObject({ killed: expect.any(Number), stops: 1 });
});

it('documents delivered by messages that come twice, late, in another order or not at all, with the queue and the database away, end once', async () => {
  const { counts, findings, details } = await runDocumentsChaos(
    { seed: 20_261_118, kills: 3, workers: 2, stops: 1 },
    { server, transport: await openMessages() },
  );
  expect([counts, findings]).toEqual([noCounts, []]);
  expect(details).toMatchObject({ stops: 1 });
});

it('the auditor sees a lost upload, an old version that is served, and vectors of it', async () => {
  const ask = async (text: string) => {
    if (text.includes('engine.all_attempts'))
      return [{ id: 'b', status: 'succeeded', phase: 'done', ends: 2, told: 1 }];
    if (text.includes('array_agg(content_hash)')) return [{ doc_id: 'd', hashes: ['sha256:old'] }];
    return [{ n: text.includes('from chunk_embeddings e') ? 3 : 0 }];
  };
  const { counts } = await auditDocuments({ ask: ask as never }, [
    { docId: 'd', runId: 'a', served: 'sha256:old' },
    { docId: 'd', runId: 'b', served: 'sha256:new' },
  ]);
  expect(counts).toMatchObject({ lost: 1, duplicated: 1, zombieWrites: 3 });
  expect(counts.wrong).toBeGreaterThanOrEqual(1);
});

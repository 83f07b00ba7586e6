// An ingest worker in a test: an engine of its own that works on documents alone, and its server on loopback.
import { startStatusServer } from '../../src/http/status-server.ts';
import type { JobPayload, PayloadDeps } from '../../src/pipelines/documents/delivery/job-payload.ts';
import { answerProcess } from '../../src/pipelines/documents/delivery/process-endpoint.ts';
import type { DocumentsDeps } from '../../src/pipelines/documents/deps.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import { silentLog } from '../../src/platform/log.ts';
import { hashEmbedder } from './documents-deps.ts';
import { buildEngine } from './engine.ts';

export const TOKEN = 'a token that both sides share, of 32 letters or more';

export async function startIngestWorker(url: string, deps: DocumentsDeps, { concurrency = 1, port = 0 } = {}) {
  const engine = await buildEngine(url, [documentsPipeline(deps)], {
    settings: { concurrency, maxClaim: concurrency },
  });
  await engine.start({ worker: true });
  const parts: PayloadDeps = { engine, store: deps.store, embedders: deps };
  const server = await startStatusServer({
    ...{ host: '127.0.0.1', port, token: undefined, role: 'ingest-worker', version: 'test', engine, log: silentLog },
    own: {
      answer: (request, response) => answerProcess({ ...parts, token: TOKEN, log: silentLog }, request, response),
      health: () => ({}),
    },
  });
  return {
    engine,
    parts,
    url: server.url,
    async post(payload: Partial<JobPayload> | string, token: string | undefined = TOKEN) {
      const answer = await fetch(`${server.url}/internal/process`, {
        method: 'POST',
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        body: typeof payload === 'string' ? payload : JSON.stringify(payload),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
    async close() {
      await server.close();
      await engine.close();
    },
  };
}

/** An embedder that stands still until it is let go on. */
export function gatedEmbedder() {
  const plain = hashEmbedder();
  let opening: Promise<void> = Promise.resolve();
  let open = () => {};
  return {
    ...plain,
    shut() {
      opening = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    async embed(texts: readonly string[]) {
      await opening;
      return plain.embed(texts);
    },
  };
}

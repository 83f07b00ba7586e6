// A process for crash tests that builds the vectors of one model until nothing is due, or until it is killed.
import { buildPart } from '../../src/pipelines/documents/model-swap/build-vectors.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildEngine } from './engine.ts';
import { otherModel } from './other-model.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as { url: string; service: string; passagesPerPart: number };
const engine = await buildEngine(orders.url, []);
const deps = { buildShare: 100, passagesPerPart: orders.passagesPerPart };
while (
  (await buildPart({ pool: engine.pools.control, deps, log: silentLog }, otherModel(orders.service))) !== undefined
);
await engine.close();

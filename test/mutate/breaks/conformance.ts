// Kits that are broken on purpose: the pipeline conformance suite must refuse each, whoever wrote it. The kit is the one of a third party, which
// is loaded as it is; the product itself is the built one.
import type { Break } from '../break.ts';

const KIT = 'examples/measurements/measurements.mjs';
const tests = ['test/conformance/conformance.test.ts'];
const env = { MILLRACE_CONFORMANCE_ONLY: 'measurements' };

export const conformanceBreaks: readonly Break[] = [
  {
    id: 'conformance.ignores-its-checkpoint',
    file: KIT,
    find: '(await checkpoint()) ?? { inserted: 0, rejected: 0 }',
    replace: '{ inserted: 0, rejected: 0 }',
    tests,
    env,
    title: 'offers no row twice',
  },
  {
    id: 'conformance.replays-other-rows',
    file: KIT,
    find: '({ ...item, ...correction.cells })',
    replace: "({ ...item, ...correction.cells, value: 'another' })",
    tests,
    env,
    title: 'replays what it refused',
  },
  {
    id: 'conformance.replays-too-few-rows',
    file: KIT,
    find: 'csvOf(rejects.map(',
    replace: 'csvOf(rejects.slice(1).map(',
    tests,
    env,
    title: 'replays what it refused',
  },
  {
    id: 'conformance.shows-rows-to-every-tenant',
    file: 'examples/measurements/migrations/0001_measurements.sql',
    find: 'create policy own on public.measurements using (tenant_id = (select engine.current_tenant()));',
    replace: 'create policy own on public.measurements using (true);',
    tests,
    env,
    title: 'shows its rows to their tenant',
  },
  {
    id: 'conformance.logs-a-cell',
    file: KIT,
    find: 'const [fault] = faultsOf(rows[at], most);',
    replace: 'const [fault] = faultsOf(rows[at], most);\n    console.log(JSON.stringify(rows[at]));',
    tests,
    env,
    title: 'writes no cell of its sample',
  },
  {
    id: 'conformance.counts-rows-that-are-not-there',
    file: KIT,
    find: 'select count(*)::int as stored from measurements',
    replace: 'select count(*)::int + 1 as stored from measurements',
    tests,
    env,
    title: 'a receipt that adds up and that a recount confirms',
  },
  {
    id: 'conformance.does-not-count-refused-rows',
    file: KIT,
    find: "outcomes[fault === undefined ? 'inserted' : 'rejected'] += 1;",
    replace: "outcomes[fault === undefined ? 'inserted' : 'rejected'] += fault === undefined ? 1 : 0;",
    tests,
    env,
    title: 'a receipt that adds up and that a recount confirms',
  },
];

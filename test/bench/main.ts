// npm run bench -- NAME [--quick] [--only PART,…] [--json FILE]: runs one bench, prints its table, and writes its figures as JSON.
// A bench is a function that returns figures; each is loaded only when it is asked for.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type BenchOptions, type BenchResult, describeMachine, printFigures } from './report.ts';

type Bench = (options: BenchOptions) => Promise<BenchResult>;

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  /** Compiled: a loader would be counted with the processes that read and embed. */
  documents: async () => {
    const { compiledProgram } = await import('../support/programs.ts');
    const program = pathToFileURL(compiledProgram('test/bench/documents.ts')).href;
    return ((await import(program)) as typeof import('./documents.ts')).benchDocuments;
  },
  history: async () => (await import('./history.ts')).benchHistory,
  http: async () => (await import('./http.ts')).benchHttp,
  items: async () => (await import('./items.ts')).benchItems,
  judgments: async () => (await import('./judgments.ts')).benchJudgments,
  search: async () => (await import('./search.ts')).benchSearch,
  queue: async () => (await import('./queue.ts')).benchQueue,
  reading: async () => (await import('./reading.ts')).benchReading,
  /** Compiled: a loader would be counted with the sync. */
  sources: async () => {
    const { compiledProgram } = await import('../support/programs.ts');
    const program = pathToFileURL(compiledProgram('test/bench/sources.ts')).href;
    return ((await import(program)) as typeof import('./sources.ts')).benchSources;
  },
  tabular: async () => (await import('./tabular.ts')).benchTabular,
  upload: async () => {
    const { benchUpload } = await import('./http-upload.ts');
    return async ({ quick }) => ({ machine: describeMachine(), figures: await benchUpload({ rounds: quick ? 3 : 7 }) });
  },
};

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
      data: { type: 'string' },
    },
  });
  const name = positionals[0] ?? '';
  const load = benches[name];
  if (!load) {
    console.error(
      `usage: npm run bench -- NAME [--quick] [--only PART,…] [--json FILE] [--data DIR]\nbenches: ${Object.keys(benches).join(', ')}`,
    );
    return 2;
  }
  const bench = await load();
  const startedAt = performance.now();
  const { machine, figures } = await bench({
    quick: values.quick,
    say: (line) => console.error(line),
    ...(values.data === undefined ? {} : { data: values.data }),
    ...(values.only === undefined ? {} : { only: values.only.split(',') }),
  });
  console.log(`\n${name}${values.quick ? ' (quick)' : ''}: ${JSON.stringify(machine)}`);
  printFigures(figures, (line) => console.log(line));
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  if (values.json !== undefined) {
    const result = { bench: name, quick: values.quick, machine, figures };
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
  return 0;
}

process.exitCode = await main();

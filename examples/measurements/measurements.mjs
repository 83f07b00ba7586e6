// A pipeline of one's own, with everything a pipeline can bring: tables and a database role, a setting, an upload, a sample, rejects that are
// fixed and replayed, verification, an error code, a route, a command, an event and an alert. docs/adding-a-pipeline.md goes through it. Run it:
//
//   PIPELINE_MODULES=examples/measurements/measurements.mjs millrace start
import {
  allow,
  defineKit,
  definePipeline,
  json,
  MillraceError,
  machine,
  readFileOf,
  replayRequest,
  setting,
  sniffTableFile,
  startReplay,
} from 'millrace';
import { z } from 'zod';

const name = 'measurements';
const columns = ['sensor', 'taken_at', 'value'];
const STORED = 'measurements.stored';
const REFUSED = 'x.measurements.refused';

const states = machine(name, {
  queued: { phase: 'waiting', stage: 'store', on: { claim: 'storing', fail: 'failed' } },
  storing: { phase: 'active', stage: 'store', on: { complete: 'stored', fail: 'failed', release: 'queued' } },
  stored: { phase: 'done' },
  failed: { phase: 'failed' },
});

/** Rows come from the file of the run, or with its input (POST /v1/runs). */
const Input = z.object({
  rows: z.array(z.record(z.string(), z.string())).optional(),
  filename: z.string().optional(),
  rejects_of: z.string().optional(),
});

export const measurements = defineKit({
  name,
  title: 'Measurements',
  mayStart: true,
  settings: {
    title: 'Measurements',
    shape: {
      most: setting.integer('MEASUREMENTS_MOST', {
        min: 1,
        max: 1_000_000,
        default: 1_000,
        doc: 'The greatest value that a sensor can measure; greater ones are refused.',
      }),
    },
  },
  errors: {
    header_missing: {
      kind: 'input',
      status: 422,
      message: 'The file has no column {column}.',
      next: 'Send a CSV with the columns sensor, taken_at and value.',
    },
    sensor_unknown: {
      kind: 'input',
      status: 404,
      message: 'There is no measurement of {sensor}.',
      next: 'Upload one, or ask for another sensor.',
    },
  },

  pipeline: ({ blobs, settings: { most } }) =>
    definePipeline({
      machine: states,
      input: Input,
      stages: { store: { role: 'measurements_store', work: (context) => storeRows(context, blobs, most) } },
      async recount({ id, input }, tx) {
        const { rows } = await tx.query('select count(*)::int as stored from measurements where run_id = $1', [id]);
        const refused = await tx.query('select count(*)::int as refused from engine.rejects where run_id = $1', [id]);
        const outcomes = { inserted: rows[0].stored, rejected: refused.rows[0].refused };
        return { read: input.rows?.length ?? outcomes.inserted + outcomes.rejected, outcomes };
      },
    }),

  /** Uploads with pipeline=measurements, watched folders and the sample come through here. */
  intake: ({ engine }) => ({
    title: 'Measurements of sensors',
    accepts: ['csv'],
    fields: z.object({}),
    sniff: sniffTableFile,
    async accept({ tenantId, file, createdBy, correlationId, uniqueKey, sourceId }) {
      const facts = Object.entries({ createdBy, correlationId, uniqueKey, sourceId });
      const { id, created } = await engine.enqueue({
        pipeline: name,
        tenantId,
        blobId: file.blobId,
        input: { filename: file.originalName },
        ...Object.fromEntries(facts.filter(([, value]) => value !== undefined)),
      });
      return { runId: id, status: 'queued', created };
    },
  }),

  rejects: ({ engine, blobs, settings: { most } }) => ({
    header: async () => ({ names: columns, isEscaped: false, decimal: '.' }),
    check: async (_run, rows) => rows.map((row) => faultsOf(row, most)),
    replay: (run, which, by) =>
      startReplay(engine, blobs, replayRequest(run, which, by), {
        pipeline: name,
        file: { format: 'csv', mediaType: 'text/csv' },
        write: (rejects) =>
          Buffer.from(csvOf(rejects.map(({ item, correction }) => ({ ...item, ...correction.cells })))),
        input: ({ originalName }) => ({ filename: originalName }),
      }),
  }),

  routes: () => [
    {
      name: 'latest',
      method: 'GET',
      path: '/latest/:sensor',
      summary: 'The newest measurement of a sensor',
      access: allow(['admin', 'user', 'service'], 'data:read'),
      params: z.object({ sensor: z.string().max(100) }),
      answer: json(z.object({ sensor: z.string(), taken_at: z.string(), value: z.number() })),
      handle: ({ params, read }) => read((db) => latestOf(db, params.sensor)),
    },
  ],

  commands: [
    {
      group: 'Measurements:',
      add(program, { withConnection }) {
        program
          .command('measurements')
          .summary('the newest measurement of a sensor')
          .description('Shows the newest measurement of a sensor.')
          .argument('<sensor>', 'name of the sensor')
          .option('--tenant <tenant>', 'name or id; not needed when there is only one')
          .addHelpText('after', '\nExample:\n  millrace measurements south')
          .action(async (sensor, { tenant }) => {
            const path = `/v1/x/measurements/latest/${encodeURIComponent(sensor)}`;
            const latest = await withConnection({ tenant }, ({ request }) => request('GET', path));
            process.stdout.write(`${latest.sensor} measured ${latest.value} at ${latest.taken_at}\n`);
          });
      },
    },
  ],

  samples: [
    {
      name,
      title: 'Measurements of two sensors',
      about: 'One value is a word, and waits to be fixed.',
      file: new URL('./measurements.csv', import.meta.url),
      fields: {},
    },
  ],

  migrations: new URL('./migrations/', import.meta.url),
  databaseRoles: ['measurements_store'],

  /** Said by the run that stores; webhooks tell of it no more than the fields named here. */
  events: { [STORED]: ['stored', 'refused'] },

  /** A file of which a part was refused opens an alert, for every tenant that has no rule of that name. */
  alerts: {
    facts: {
      [STORED]: ({ run_id: runId, data }) =>
        data.refused > 0
          ? { event: REFUSED, message: `[MEASUREMENTS REFUSED] ${runId}: ${data.refused} of a file` }
          : undefined,
    },
    rules: [
      {
        name: 'measurements_refused',
        description: 'A file of measurements had rows that were refused.',
        severity: 'WARNING',
        windowMinutes: 60,
        on: { event: REFUSED },
      },
    ],
  },
});

/** Rows, rejects and checkpoint in one fenced transaction: killed at any point, each row is stored or refused once. */
async function storeRows(context, blobs, most) {
  const { run, input, checkpoint, commit, reject, progress } = context;
  const rows = input.rows ?? rowsOf((await readFileOf(context, blobs)).toString('utf8'));
  const outcomes = (await checkpoint()) ?? { inserted: 0, rejected: 0 };
  for (let at = outcomes.inserted + outcomes.rejected; at < rows.length; at += 1) {
    const [fault] = faultsOf(rows[at], most);
    if (fault !== undefined) reject({ ...fault, line: at + 2, item: rows[at] });
    outcomes[fault === undefined ? 'inserted' : 'rejected'] += 1;
    await commit((tx) => (fault === undefined ? insert(tx, run, rows[at]) : Promise.resolve()), {
      checkpoint: outcomes,
    });
    progress({ done: at + 1, total: rows.length, unit: 'rows' });
  }
  const told = { type: STORED, data: { stored: outcomes.inserted, refused: outcomes.rejected } };
  return { on: 'complete', receipt: { read: rows.length, outcomes }, emit: [told] };
}

function insert(tx, run, { sensor, taken_at: takenAt, value }) {
  return tx.query(
    `insert into measurements (tenant_id, run_id, sensor, taken_at, value) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, sensor, taken_at) do update set run_id = excluded.run_id, value = excluded.value`,
    [run.tenantId, run.id, sensor, takenAt, Number(value)],
  );
}

function rowsOf(text) {
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  const names = header.split(',');
  for (const column of columns)
    if (!names.includes(column)) throw new MillraceError('x.measurements.header_missing', { column });
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
}

function faultsOf({ taken_at: takenAt = '', value = '' }, most) {
  if (value.trim() === '' || Number.isNaN(Number(value)))
    return [{ column: 'value', code: 'number_invalid', message: 'The value is not a number.', value }];
  if (Number(value) > most)
    return [{ column: 'value', code: 'number_too_large', message: `The value is greater than ${most}.`, value }];
  if (Number.isNaN(Date.parse(takenAt)))
    return [{ column: 'taken_at', code: 'date_invalid', message: 'The time cannot be read.', value: takenAt }];
  return [];
}

function csvOf(rows) {
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => cells.join(','))
    .join('\n');
}

async function latestOf(db, sensor) {
  const { rows } = await db.query(
    'select sensor, taken_at, value from measurements where sensor = $1 order by taken_at desc limit 1',
    [sensor],
  );
  if (rows[0] === undefined) throw new MillraceError('x.measurements.sensor_unknown', { sensor });
  return { ...rows[0], taken_at: rows[0].taken_at.toISOString() };
}

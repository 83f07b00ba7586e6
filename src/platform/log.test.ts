// The canary: secrets and personal data pushed through the real logger in every shape we could think of. None may come out.
import { describe, expect, it } from 'vitest';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { createLog, type LogOptions } from './log.ts';
import { allowedFields, hashFilename } from './log-fields.ts';

/** Each canary with the part that must never appear. */
const canaries: readonly { readonly what: string; readonly value: string; readonly never: string }[] = [
  { what: 'full name', value: 'Wilhelmina Featherstonehaugh', never: 'Featherstonehaugh' },
  { what: 'e-mail', value: 'wilhelmina.f@canary-mail.example.org', never: 'canary-mail' },
  { what: 'phone', value: '(415) 555-0132', never: '555-0132' },
  { what: 'international phone', value: '+49 30 9018 2077', never: '9018 2077' },
  { what: 'SSN', value: '078-05-1120', never: '078-05-1120' },
  { what: 'database address', value: 'postgres://app:c4n@ry-pw@db.internal:5432/prod', never: 'ry-pw' },
  { what: 'database address, long form', value: 'postgresql://app:c4nary-pw2@db.internal/prod', never: 'c4nary-pw2' },
  {
    what: 'web token',
    value: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeS1zaWduYXR1cmU',
    never: 'c2lnbmF0dXJl',
  },
  { what: 'AWS key', value: 'AKIACANARYCANARY1234', never: 'AKIACANARY' },
  { what: 'API key', value: 'sk-canary1234567890abcdef', never: 'canary1234567890' },
  { what: 'password setting', value: 'password=canary-horse-battery', never: 'canary-horse' },
  { what: 'bearer', value: 'Bearer c4n4ry.t0ken-value', never: 'c4n4ry.t0ken' },
  { what: 'hex secret', value: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00', never: 'c0ffee00c0ffee00' },
  { what: 'card', value: '4111 1111 1111 1111', never: '1111 1111' },
  { what: 'file name', value: 'Featherstonehaugh divorce.csv', never: 'Featherstonehaugh' },
  { what: 'row', value: 'Featherstonehaugh,Wilhelmina,1200.50,Cook County', never: 'Featherstonehaugh' },
];

/** Ways in which careless code could hand a value to the logger. */
const shapes: readonly { readonly what: string; readonly fields: (value: string) => object }[] = [
  { what: 'a field of its own', fields: (value) => ({ plaintiff: value }) },
  {
    what: 'a field that is allowed for something else',
    fields: (value) => ({ run: value, code: value, at: value, lane: value }),
  },
  {
    what: 'a hash or count field',
    fields: (value) => ({ sha256: value, count: value, counts: { [value]: 1, a: value } }),
  },
  {
    what: 'a nested object',
    fields: (value) => ({ input: { deep: [{ er: value }] }, counts: { deep: { er: value } } }),
  },
  { what: 'a list', fields: (value) => ({ codes: [value], applied: [value, { value }] }) },
  { what: 'a key', fields: (value) => ({ [value]: 1 }) },
  { what: 'a file name', fields: (value) => ({ filename: value, file: value }) },
  { what: 'an error message in quotes', fields: (value) => ({ err: new Error(`bad value "${value}" in row 3`) }) },
  {
    what: 'an error with properties',
    fields: (value) => ({ err: Object.assign(new Error('no'), { detail: value, row: value, code: value }) }),
  },
  { what: 'a cause', fields: (value) => ({ err: new Error('outer', { cause: new Error(`inner '${value}'`) }) }) },
  { what: 'a cause that is no error', fields: (value) => ({ err: new Error('outer', { cause: value }) }) },
  { what: 'an aggregate', fields: (value) => ({ err: new AggregateError([new Error(`'${value}'`)], 'many') }) },
  {
    what: 'one of our errors',
    fields: (value) => ({ err: new MillraceError('pipeline_unknown', { pipeline: value, known: value }) }),
  },
  { what: 'a database error', fields: (value) => ({ err: databaseError(value) }) },
  { what: 'a thrown string', fields: (value) => ({ err: value, error: value }) },
  {
    what: 'a request',
    fields: (value) => ({ req: { id: value, method: 'GET', url: `/x?q=${value}`, headers: { authorization: value } } }),
  },
  { what: 'a response', fields: (value) => ({ res: { statusCode: 200, body: value } }) },
  { what: 'a map and a buffer', fields: (value) => ({ map: new Map([[value, value]]), body: Buffer.from(value) }) },
  { what: 'a toJSON', fields: (value) => ({ thing: { toJSON: () => value }, run: { toJSON: () => value } }) },
];

function databaseError(value: string): Error {
  return Object.assign(new Error(`invalid input syntax for type integer: "${value}"`), {
    severity: 'ERROR',
    code: '22P02',
    detail: `Key (email)=(${value}) already exists.`,
    where: `unnamed portal parameter $1 = '${value}'`,
    internalQuery: value,
  });
}

function capture(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({
    level: 'trace',
    format: 'json',
    logFilenames: false,
    destination: { write: (line: string) => void lines.push(line) },
    ...options,
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

const encodings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(value).toString('base64'),
];

describe('the canary', () => {
  it.each(shapes)('finds nothing in $what', ({ fields }) => {
    const { log, lines } = capture();
    for (const { value } of canaries) {
      for (const encode of encodings) {
        const given = fields(encode(value));
        log.info(given, 'something happened');
        log.error(given, 'something failed');
        log.child(given).warn('from a child');
        if ('err' in given && given.err instanceof Error) log.error(given.err);
      }
    }
    const written = lines.join('');
    expect(lines.length).toBeGreaterThan(canaries.length * encodings.length);
    const found = canaries.filter(({ value, never }) =>
      [never, encodeURIComponent(never), Buffer.from(value).toString('base64').slice(0, 12)].some((each) =>
        written.includes(each),
      ),
    );
    expect(found.map(({ what }) => what)).toEqual([]);
  });

  it('finds no secret in a message, nor in values meant to be put into it', () => {
    const { log, lines } = capture();
    const patterned = canaries.filter(({ what }) => !['full name', 'file name', 'row'].includes(what));
    for (const { value } of canaries) log.info({ run: 'r' }, 'happened to %s', value);
    for (const { value } of canaries) log.info('happened to %s %o', value, { value });
    for (const { value } of patterned) log.info(`happened to ${value}, again`);
    const written = lines.join('');
    expect(canaries.filter(({ never }) => written.includes(never)).map(({ what }) => what)).toEqual([]);
  });
});

describe('a log line', () => {
  it('keeps the fields that are allowed, and names those that are not', () => {
    const { log, last } = capture();
    log.info(
      {
        run: '0190b0f4-1c5a-7d2e-9c3b-5f2f0a8a1b2c',
        attempt: 2,
        pipeline: 'ads',
        ms: 12.5,
        plaintiff: 'x',
        counts: { read: 3 },
      },
      'run.claimed',
    );
    expect(last()).toEqual({
      level: 'info',
      time: expect.any(String),
      run: '0190b0f4-1c5a-7d2e-9c3b-5f2f0a8a1b2c',
      attempt: 2,
      pipeline: 'ads',
      ms: 12.5,
      counts: { read: 3 },
      omitted: ['plaintiff'],
      msg: 'run.claimed',
    });
  });

  it('reduces an error to type, code, kind and a message without data; the stack only at debug', () => {
    const error = new MillraceError('lease_lost', { attempt: 2, run: 'r1' }, { cause: new Error('reset') });
    const quiet = capture({ level: 'info' });
    quiet.log.error({ err: error }, 'failed');
    expect(quiet.last().err).toEqual({
      type: 'MillraceError',
      code: 'lease_lost',
      kind: 'lost',
      message: 'Attempt 2 no longer holds run r1; nothing was written.',
      cause: { type: 'Error', message: 'reset' },
    });
    const loud = capture({ level: 'debug' });
    loud.log.error({ err: error }, 'failed');
    expect(loud.last().err).toMatchObject({ stack: expect.stringContaining('at ') });
  });

  it('shows a file name as hash and extension, unless LOG_FILENAMES', () => {
    const quiet = capture();
    quiet.log.info({ filename: 'Smith v. Jones.CSV' }, 'taken in');
    expect(quiet.last().filename).toBe(hashFilename('Smith v. Jones.CSV'));
    expect(quiet.last().filename).toMatch(/^[0-9a-f]{12}\.csv$/);
    const open = capture({ logFilenames: true });
    open.log.info({ filename: 'Smith v. Jones.CSV' }, 'taken in');
    expect(open.last().filename).toBe('Smith v. Jones.CSV');
  });

  it('shows the path of a request without its query', () => {
    const { log, last } = capture();
    log.info(
      { req: { id: 'req-1', method: 'GET', url: '/v1/runs?q=jane' }, res: { statusCode: 200 }, responseTime: 3 },
      'done',
    );
    expect(last()).toMatchObject({
      req: { id: 'req-1', method: 'GET', url: '/v1/runs' },
      res: { statusCode: 200 },
      responseTime: 3,
    });
  });

  it('passes the same filter in a child logger', () => {
    const { log, last } = capture();
    log.child({ worker: 'w1', email: 'a@b.example' }).info({ run: 'r' }, 'x');
    expect(last()).toMatchObject({ worker: 'w1', run: 'r' });
    expect(JSON.stringify(last())).not.toContain('a@b');
  });
});

it('a line about a message names it, its fate and how often it came; a line about a service names the service', () => {
  const fields = { message_id: '6f1c-1', fate: 'taken', receives: 2, service: 'dead messages of documents' };
  expect(allowedFields(fields, { logFilenames: false, stacks: false })).toEqual(fields);
});

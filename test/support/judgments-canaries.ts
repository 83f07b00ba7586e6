// People who exist only to be looked for. Every judgments bench imports them before it closes and fails its file when anything of them
// stands where only codes, counts and ids may stand: log lines, events and alerts, errors of runs and attempts, what people did.
import { Writable } from 'node:stream';
import type { Engine } from '../../src/engine/engine.ts';
import { createLog, type Log } from '../../src/platform/log.ts';

export const canaries: readonly string[] = [
  'Canary Plaintiffsson',
  'Canary Defendantsson',
  'canary@secret.test',
  '555-867-5309',
  '5558675309',
  '077-88-9966',
  '77 Canary Way',
];

const [plaintiff, defendant, email, phone, , ssn, address] = canaries;
const row = (number: string, amount: string, date: string, name = plaintiff) =>
  `${number},${name},${defendant},${amount},${date},Kings,${email},${phone},"${address} ${ssn}"`;

/** Rows that are stored, repeated, and refused for every kind of reason, each with people in it. */
export const canaryRows: readonly string[] = [
  row('CANARY-1', '10', '2024-01-01'),
  row('CANARY-1', '11', '2024-01-01'),
  row('', '10', '2024-01-01'),
  row('CANARY-3', '-10', '2024-01-01'),
  row('CANARY-4', `${plaintiff} ${ssn}`, '2024-01-01'),
  row('CANARY-5', '10', `${email}`),
  row('CANARY-6', '10', '2199-01-01'),
  row('CANARY-7', '10', '2024-01-01', `${plaintiff} `.repeat(100)),
];

/** The texts of `said` that hold a canary, as it is, in base64 or URL-encoded. */
export function findCanaries(said: string): string[] {
  const plain = said.toLowerCase();
  return canaries.filter((canary) => {
    const forms = [canary, encodeURIComponent(canary), canary.replaceAll(' ', '+')];
    return forms.some((form) => plain.includes(form.toLowerCase())) || said.includes(inBase64(canary));
  });
}

/** The middle of its base64 form, which is the same wherever in a longer text it begins at a multiple of three. */
function inBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1);
}

export interface Listener {
  readonly log: Log;
  said(): string;
}

/** A log that keeps every line as it would be written, at the finest level, and hands it on. */
export function listen(onward?: Log): Listener {
  let lines = '';
  const own = createLog({
    level: 'trace',
    format: 'json',
    logFilenames: false,
    destination: new Writable({
      write(chunk, _encoding, done) {
        lines += String(chunk);
        done();
      },
    }),
  });
  return { log: onward === undefined ? own : both(own, onward), said: () => lines };
}

function both(own: Log, onward: Log): Log {
  return new Proxy(own, {
    get(target, name) {
      const mine: unknown = Reflect.get(target, name);
      const theirs: unknown = Reflect.get(onward, name);
      if (typeof mine !== 'function' || typeof theirs !== 'function') return mine;
      return (...args: unknown[]) => {
        const [first, second] = [mine.apply(target, args) as unknown, theirs.apply(onward, args) as unknown];
        return name === 'child' ? both(first as Log, second as Log) : undefined;
      };
    },
  });
}

/** Everything the engine's tables say of runs in words; cells belong into rejects and the pipeline's tables alone. */
export async function wordsOfLedger({ pools }: Pick<Engine, 'pools'>): Promise<string> {
  const { rows } = await pools.control.query<{ words: string | null }>(`
    select string_agg(e.data::text, ' ') as words from engine.events e
    union all
    select string_agg(concat_ws(' ', r.error_code, r.error_text, r.receipt::text, r.input::text), ' ') from engine.runs r
    union all
    select string_agg(to_jsonb(a)::text, ' ') from engine.attempts a`);
  return rows.map(({ words }) => words ?? '').join(' ');
}

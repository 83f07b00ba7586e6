// How a bench lets the product be heard: its log lines, and everything its tables say of runs in words.
import { Writable } from 'node:stream';
import type { Engine } from '../../src/engine/engine.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { hear } from './heard.ts';

/** A log whose every line is heard as it would be written, at the finest level, and passed on. */
export function heardLog(onward?: Log): Log {
  const own = createLog({
    level: 'trace',
    format: 'json',
    logFilenames: false,
    destination: new Writable({
      write(chunk, _encoding, done) {
        hear(String(chunk));
        done();
      },
    }),
  });
  return onward === undefined ? own : both(own, onward);
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
    select string_agg(to_jsonb(a)::text, ' ') from engine.attempts a
    union all
    select string_agg(to_jsonb(a)::text, ' ') from engine.alerts a
    union all
    select string_agg(to_jsonb(s)::text, ' ') from engine.alert_sends s
    union all
    select string_agg(to_jsonb(d)::text, ' ') from engine.deliveries d`);
  return rows.map(({ words }) => words ?? '').join(' ');
}

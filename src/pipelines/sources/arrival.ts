// One object on its way: every byte is a sign of activity of its sync, since a large object takes longer than the stall limit. One that stops arriving, or
// does not arrive in its time, is given up alone: its sync goes on with the others.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { untilAborted } from '../../platform/blob/byte-meter.ts';

/** Shorter than what a stage may be silent for. */
const SILENCE_MS = 120_000;

export interface Arrival {
  /** Aborted with what is to be said of the object, or with its sync. */
  readonly signal: AbortSignal;
  /** The same bytes, and an end as soon as it is given up, also where the place never answers. */
  follow(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  end(): void;
}

export function openArrival(
  sync: AbortSignal,
  { minutes, silenceMs = SILENCE_MS, alive }: { minutes: number; silenceMs?: number; alive: () => void },
): Arrival {
  const late = new AbortController();
  const giveUp = (reason: string) => () => late.abort(new MillraceError('source_unreachable', { reason }));
  const silence = setTimeout(giveUp('no more of the object arrived'), silenceMs);
  const limit = setTimeout(giveUp(`the object did not arrive within ${minutes} min`), minutes * 60_000);
  const signal = AbortSignal.any([sync, late.signal]);
  return {
    signal,
    async *follow(body) {
      for await (const chunk of untilAborted(body, signal)) {
        silence.refresh();
        alive();
        yield chunk;
      }
    },
    end() {
      clearTimeout(silence);
      clearTimeout(limit);
    },
  };
}

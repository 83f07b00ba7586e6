// Following one run to its end: its events as they happen, over the live feed, with where it stands below while a person looks.
import type { Client } from '../../contract/api/client.ts';
import { exitCodes } from '../failure.ts';
import { clearLine, paint, say, sayJson } from '../output.ts';
import { readServerEvents } from '../server-events.ts';
import { describeProgress, type RunDetail } from './print-run.ts';

interface FeedEvent {
  readonly type: string;
  readonly occurred_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const LOOK_EVERY_MS = 500;
const MAX_DATA = 160;

export async function tailRun(call: Client, runId: string, asJson: boolean): Promise<RunDetail> {
  const ended = new AbortController();
  const params = { run_id: runId };
  const feed = await call('live.run-stream', { params, query: { after: '0' }, signal: ended.signal });
  const following = follow(feed, asJson, ended.signal);
  try {
    for (;;) {
      const run = await call('runs.show', { params });
      if (run.question !== null) return run;
      if (run.finished_at !== null) {
        // The last event may still be on its way; it is given one more look's time.
        await Promise.race([following.sawEnd, pause()]);
        return run;
      }
      showProgress(run, asJson);
      await pause();
    }
  } finally {
    ended.abort();
    clearLine();
    await following.done;
  }
}

/** 0 every row is stored · 2 rows were refused, something is in doubt, or the run asks · 1 failed. */
export function exitCodeOfRun(run: Pick<RunDetail, 'phase' | 'status' | 'receipt' | 'question'>): number {
  if (run.question !== null) return exitCodes.partial;
  if (run.phase !== 'done') return exitCodes.failed;
  if (Object.keys(run.receipt?.doubts ?? {}).length > 0) return exitCodes.partial;
  const refused = run.receipt?.outcomes?.rejected ?? 0;
  return run.status === 'partial' || refused > 0 ? exitCodes.partial : exitCodes.ok;
}

function follow(feed: Response, asJson: boolean, signal: AbortSignal) {
  let end = () => {};
  const sawEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const read = async () => {
    for await (const text of readServerEvents(feed)) {
      const event = JSON.parse(text) as FeedEvent | { type?: never };
      // The server's own word that it closes the feed.
      if (event.type === undefined) break;
      if (asJson) sayJson(event);
      else sayEvent(event);
      if (/^run\.(done|failed|dead)/.test(event.type)) end();
    }
  };
  const done = read().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { sawEnd, done };
}

function sayEvent({ type, occurred_at: at, data }: FeedEvent): void {
  clearLine();
  const details = JSON.stringify(data);
  const shown = details.length > MAX_DATA ? `${details.slice(0, MAX_DATA)}…` : details;
  say(
    `${paint('dim', at.slice(11, 23))}  ${type.padEnd(16)}  ${details === '{}' ? '' : paint('dim', shown)}`.trimEnd(),
  );
}

function showProgress(run: RunDetail, asJson: boolean): void {
  if (asJson || !process.stdout.isTTY) return;
  clearLine();
  const where = run.progress ? describeProgress(run.progress) : (run.wait?.text ?? '');
  process.stdout.write(paint('dim', `${run.status}  ${where}`));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

// What a test file on judgments heard the product say, wherever only codes, counts and ids may stand: log lines, alerts, events, metrics,
// error bodies, the output of commands. The benches (judgments.ts, api.ts, acceptance/millrace-process.ts) report to it; the set-up of
// every test file (listen-for-canaries.ts) looks for people in it at the end, and fails a file that sent none in.
import { format } from 'node:util';

/** Test files on judgments: the pipeline's own, with those of its routes and commands. Plans are asked of the server, not of the product. */
export const judgmentsTests =
  /(?:^|\/)src\/pipelines\/judgments\/(?!plans\.).*\.test\.ts$|(?:^|\/)test\/acceptance\/judgments[\w-]*\.test\.ts$/;

type Feed = (tenantId?: string) => Promise<void>;

let said: string[] | null = null;
let isFed = false;
let feeds: Feed[] = [];

/** From now on everything is kept. Nobody else's tests pay for it. */
export function startListening(): void {
  said ??= [];
}

/** At the beginning of a test file: what one before it in the same process left is not its own. */
export function forgetHeard(): void {
  said = null;
  isFed = false;
  feeds = [];
}

export function isListening(): boolean {
  return said !== null;
}

export function hear(...words: readonly unknown[]): void {
  said?.push(format(...words));
}

export function allHeard(): string {
  return (said ?? []).join('\n');
}

/** People have been sent in. */
export function noteFed(): void {
  isFed = true;
}

export function wasFed(): boolean {
  return isFed;
}

/** How a bench sends people in; to be done before it closes. */
export function addFeed(feed: Feed): void {
  feeds.push(feed);
}

export async function feedAll(tenantId?: string): Promise<void> {
  const waiting = feeds;
  feeds = [];
  for (const feed of waiting) await feed(tenantId);
}

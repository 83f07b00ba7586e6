// The auditor's own ledger: a file to which each fact is appended before or after it is asked of the product, never read from
// the product. A line is on disk before the next step is taken.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What a run is to do, known before it is submitted; the reference for what must be found in the end. */
export interface Intent {
  readonly id: string;
  readonly tenantId: string;
  readonly parts: number;
  readonly amount: number;
  /** none: completes · transient: fails once, then completes · bug: ends as failed */
  readonly trouble: 'none' | 'transient' | 'bug';
}

export type Entry =
  | ({ readonly fact: 'intent' } & Intent)
  /** The product said that the run is accepted. */
  | { readonly fact: 'acknowledged'; readonly id: string }
  | { readonly fact: 'killed'; readonly pid: number; readonly at: number };

export function append(file: string, entries: readonly Entry[]): void {
  appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { flush: true });
}

export interface Ledger {
  readonly intents: ReadonlyMap<string, Intent>;
  readonly acknowledged: readonly string[];
  readonly kills: readonly { readonly pid: number; readonly at: number }[];
}

export function readLedger(file: string): Ledger {
  const intents = new Map<string, Intent>();
  const acknowledged = new Set<string>();
  const kills: { pid: number; at: number }[] = [];
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  for (const line of lines) {
    // A writer that was killed in the middle of a line leaves half of one; it was never acted upon.
    const entry = parse(line);
    if (entry?.fact === 'intent') intents.set(entry.id, entry);
    if (entry?.fact === 'acknowledged') acknowledged.add(entry.id);
    if (entry?.fact === 'killed') kills.push({ pid: entry.pid, at: entry.at });
  }
  return { intents, acknowledged: [...acknowledged], kills };
}

function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

// How many commits an execution knows of, per checkpoint part. The database counts them too, beside the checkpoint; the two are compared at
// every commit and at the end. Fewer there than here: a failover has lost commits that were acknowledged. More: another
// execution writes under the same attempt. Either way this execution stops and the run goes on from what the database has.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { StageRun } from './stage-context.ts';

interface Count {
  /** Undefined until the database has said a number. */
  known: number | undefined;
  inFlight: number;
}

export interface CommitBounds {
  /** Null: whatever is there counts. */
  readonly atLeast: number | null;
  readonly atMost: number | null;
}

export class CommitCounts {
  readonly #run: StageRun;
  readonly #counts = new Map<string, Count>();
  /** Whether this execution has committed anything. */
  hasCommitted = false;

  constructor(run: StageRun) {
    this.#run = run;
  }

  /** A checkpoint was read together with its count. */
  noteRead(part: string, commits: number): void {
    const count = this.#of(part);
    if (count.known === undefined) count.known = commits;
    else if (commits < count.known || commits > count.known + count.inFlight) throw this.lost(part);
  }

  start(part: string): void {
    this.#of(part).inFlight += 1;
  }

  /** What the database may have counted before the commit that is about to be counted. */
  bounds(part: string): CommitBounds {
    const { known, inFlight } = this.#of(part);
    return known === undefined
      ? { atLeast: null, atMost: null }
      : { atLeast: known, atMost: known + Math.max(0, inFlight - 1) };
  }

  /** It was committed as number `raised`: the row lock says that all before it were, too. */
  succeeded(part: string, raised: number): void {
    const count = this.#of(part);
    count.inFlight -= 1;
    count.known = Math.max(count.known ?? 0, raised);
    this.hasCommitted = true;
  }

  failed(part: string): void {
    this.#of(part).inFlight -= 1;
  }

  /** Whether the commit that would have been number `raised` is among the `counted`; throws when that cannot be known. */
  contains(part: string, raised: number, counted: number): boolean {
    const { known, inFlight } = this.#of(part);
    const isAlone = inFlight === 1;
    if (counted < raised && counted >= (known ?? 0)) return false;
    if (counted === raised && isAlone) return true;
    throw this.lost(part);
  }

  /** For the end of the attempt: the counts that must still stand, by part. Null when there are none. */
  expected(): string | null {
    const known = [...this.#counts].filter(([, count]) => (count.known ?? 0) > 0);
    return known.length === 0
      ? null
      : JSON.stringify(Object.fromEntries(known.map(([part, { known }]) => [part, known])));
  }

  lost(part: string): MillraceError {
    const { id, attempt, stage } = this.#run;
    return new MillraceError('commits_lost', { run: id, attempt, stage, part });
  }

  #of(part: string): Count {
    let count = this.#counts.get(part);
    if (!count) {
      count = { known: undefined, inFlight: 0 };
      this.#counts.set(part, count);
    }
    return count;
  }
}

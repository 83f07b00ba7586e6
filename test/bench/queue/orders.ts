// What the bench asks of a contender's process, and what it answers. Sent over the child's IPC channel, one at a time.

export type ContenderName = 'millrace' | 'graphile-worker' | 'pg-boss' | 'bullmq' | 'raw';

/** Over how many tenants, and which pipelines, jobs are submitted. */
export interface Spread {
  readonly tenants: number;
  readonly pipelines: readonly number[];
}

export type Order =
  | { readonly do: 'open' }
  /** Submits `count` jobs in bulk. */
  | { readonly do: 'bulk'; readonly count: number; readonly owner: 'a' | 'b'; readonly spread?: Spread }
  /** Submits `count` jobs one by one, each awaited, `width` at a time. */
  | { readonly do: 'single'; readonly count: number; readonly width: number }
  /** Submits one job that carries the moment it was sent. */
  | { readonly do: 'send'; readonly owner: 'a' | 'b' }
  /** Starts working; each job takes `jobMs`. */
  | { readonly do: 'work'; readonly concurrency: number; readonly jobMs: number }
  /** How long each job takes from now on. */
  | { readonly do: 'pace'; readonly jobMs: number }
  | { readonly do: 'count' }
  | { readonly do: 'close' };

export interface Counts {
  readonly calls: number;
  readonly callsOfB: number;
  /** Machine clock, milliseconds. */
  readonly firstAt: number;
  readonly lastOfBAt: number;
  /** From submission to the handler's start, of jobs that carry the moment they were sent. */
  readonly latenciesMs: readonly number[];
}

export interface Answer {
  readonly id: number;
  /** How long the order took inside the process. */
  readonly ms: number;
  readonly counts?: Counts;
  readonly error?: string;
}

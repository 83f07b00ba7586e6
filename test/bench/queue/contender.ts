// What a queue must be able to do to stand in the bench. Each runs in processes of its own, so that none warms or burdens
// another, and each with the fastest durable settings its documentation names.

export interface Contender {
  /** Schema and queue in place; safe to call in every process. */
  open(): Promise<void>;
  enqueueBulk(jobs: readonly Payload[]): Promise<void>;
  enqueueOne(job: Payload): Promise<void>;
  /** Starts working; `onJob` is called once per job and resolves when the job is done. */
  work(onJob: (job: Payload) => Promise<void> | void, concurrency: number): Promise<void>;
  close(): Promise<void>;
}

export interface Payload {
  readonly n: number;
  /** Whose job it is, for the fairness bench. */
  readonly owner: 'a' | 'b';
  /** One of many tenants, and one of several pipelines, where the measurement has them. */
  readonly tenant?: number;
  readonly pipeline?: number;
  /** When it was submitted, in milliseconds of the machine's clock. */
  readonly sentAt?: number;
}

export interface ContenderOptions {
  /** The application's login. */
  readonly url: string;
  /** A superuser of the same database: peers install their schema with it. */
  readonly adminUrl: string;
  readonly redisPort: number | undefined;
  /** How many pipelines the process has; one where it is not said. */
  readonly pipelines?: number;
  /** The way through a PgBouncer in transaction mode, where the measurement has one; `url` goes past it. */
  readonly pooledUrl?: string;
}

/** Milliseconds since the epoch with the resolution of performance.now; comparable between processes of one machine. */
export function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

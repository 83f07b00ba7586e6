// How a job leaves this process: a POST to an ingest worker or a message on a queue. Both say in the specification's words why it failed.
import type { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { JobPayload } from './job-payload.ts';

export interface Transport {
  readonly mode: 'http' | 'queue';
  /** How long one `send` may take at most. */
  readonly timeoutMs: number;
  /** Undefined: accepted. Otherwise why not; a lost answer counts as a failure, the caller asks the ledger. */
  send(payload: JobPayload, signal: AbortSignal): Promise<MillraceError | undefined>;
  /** Throws unless the other side can be reached. */
  check(): Promise<void>;
  close(): void;
}

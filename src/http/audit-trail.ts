// What the audit log gets from one call: exactly one entry for a change, none for a look. The code that makes the change says so where it
// happens; a change that says nothing is noted by the route itself, so that none goes without an entry.
import { type AuditNote, auditApart, type Origin } from '../access/audit.ts';
import type { Principal } from '../access/principal.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';

export interface AuditEntry {
  readonly target?: string | null;
  /** Ids and words of ours only. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export class AuditTrail {
  #isSettled = false;
  #unwritten: AuditEntry | undefined;

  /** Nothing is left to write. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** A change that the engine or a service made in a transaction of its own, and that has no entry yet. */
  get unwritten(): AuditEntry | undefined {
    return this.#isSettled ? undefined : this.#unwritten;
  }

  /** To be called right after the change: its entry is written even when the answer cannot be made. The last word counts. */
  acted(entry: AuditEntry): void {
    this.#unwritten = entry;
  }

  /** The entry was committed together with its change. */
  committed(): void {
    this.#isSettled = true;
  }

  /** A preview, a recount: the method is not GET, and yet nothing changed. */
  changedNothing(): void {
    this.#isSettled = true;
  }
}

/** Who asks for what, from where. */
export interface Asking {
  readonly operation: string;
  readonly principal: Principal;
  readonly origin: Origin;
}

interface Host {
  readonly pool: Pool;
  readonly log: Log;
}

/** An entry in a transaction of its own. What it tells of stands even when it cannot be written; the process log says so then. */
export function noteApart({ pool, log }: Host, asking: Asking, note: Omit<AuditNote, 'action'>): Promise<void> {
  const { operation, principal, origin } = asking;
  return auditApart(pool, principal, origin, { action: operation, ...note }).catch((error: unknown) =>
    log.error({ err: error, operation, correlation_id: origin.correlationId }, 'an audit entry could not be written'),
  );
}

/** Somebody known asked for something they may not do. Errors of another kind are no denials and leave no entry. */
export async function noteDenial(host: Host, asking: Asking, error: unknown): Promise<void> {
  if (!(error instanceof MillraceError) || error.kind !== 'auth' || error.status !== 403) return;
  await noteApart(host, asking, { outcome: 'denied', data: { code: error.code } });
}

// A sync is a run with the source as its active key: asking twice names the one that is there.
import type { Engine } from '../../engine/engine.ts';
import type { Enqueued } from '../../engine/enqueue.ts';
import type { SyncInput } from './input.ts';
import type { SourceRow } from './sql/sources.ts';

export interface SyncWish {
  readonly trigger: SyncInput['trigger'];
  readonly createdBy?: string | undefined;
  /** Only these objects. */
  readonly keys?: readonly string[];
}

export function startSync(
  engine: Engine,
  { tenant_id: tenantId, source_id: sourceId, name }: Pick<SourceRow, 'tenant_id' | 'source_id' | 'name'>,
  { trigger, createdBy, keys }: SyncWish,
): Promise<Enqueued> {
  const input: SyncInput = { source_id: sourceId, name, trigger, ...(keys === undefined ? {} : { keys: [...keys] }) };
  return engine.enqueue({
    pipeline: 'sources',
    tenantId,
    input,
    sourceId,
    ...(createdBy === undefined ? {} : { createdBy }),
  });
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { plural } from '../../ui/figures.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import type { Source, SourceSync } from './list-sources.ts';

const shapes: Record<string, string> = {
  queued: 'h-2 bg-line-strong',
  syncing: 'h-3 bg-water breathing',
  synced: 'h-5 bg-good',
  partial: 'h-5 bg-warn',
  failed: 'h-5 bg-transparent border-2 border-bad',
};
const held = 'h-5 bg-transparent border-2 border-warn';
const calledOff = 'h-5 bg-transparent border border-line-strong';

/** The last thirty syncs, oldest first; the strip opens the source. Hollow ones failed, short ones have not ended. */
export function SyncStrip({ source }: { source: Source }): ReactNode {
  const syncs = source.syncs.toReversed();
  if (syncs.length === 0) return null;
  const failed = syncs.filter((sync) => sync.status === 'failed' && !isCalledOff(sync)).length;
  return (
    <Link
      to="/operate/sources/$sourceId"
      params={{ sourceId: source.source_id }}
      search={{}}
      className="flex min-h-6 flex-wrap items-end gap-2 self-start text-xs text-ink-3"
    >
      <span aria-hidden="true" className="flex h-6 items-end gap-0.5">
        {syncs.map((sync) => (
          <span key={sync.sync_id} title={titleOf(sync)} className="flex h-6 items-end">
            <span className={`block w-2 rounded-[2px] ${shapeOf(sync)}`} />
          </span>
        ))}
      </span>
      <span>
        The last {plural(syncs.length, 'sync')}
        {failed > 0 && `, ${failed} failed`}
      </span>
    </Link>
  );
}

export function isCalledOff({ error_code: code }: SourceSync): boolean {
  return code === 'run_cancelled';
}

function shapeOf(sync: SourceSync): string {
  if (sync.held) return held;
  return isCalledOff(sync) ? calledOff : (shapes[sync.status] ?? shapes.queued ?? '');
}

/** "synced: 12 new, 3 changed". */
export function titleOf(sync: SourceSync): string {
  const word = sync.held ? 'waits for an answer' : isCalledOff(sync) ? 'cancelled' : wordsOf(sync.status);
  const found = partsOf(sync);
  const reason = sync.error_code !== null && !isCalledOff(sync) ? ` (${sync.error_code})` : '';
  return `${word}${reason}${found.length === 0 ? '' : `: ${found.join(', ')}`}`;
}

/** What a sync found that was not as before, in words; nothing: all was as before. */
function partsOf({ counts }: Pick<SourceSync, 'counts'>): string[] {
  if (counts === null) return [];
  const parts = (['new', 'changed', 'refused', 'vanished', 'settling'] as const).filter((name) => counts[name] > 0);
  return parts.map((name) => `${counts[name]} ${name}`);
}

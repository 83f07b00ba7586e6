import type { ReactNode } from 'react';
import { Moment } from '../../ui/moment.tsx';
import type { Source } from './list-sources.ts';

const marks: Record<Source['freshness'], { mark: string; look: string }> = {
  fresh: { mark: '●', look: 'text-good' },
  syncing: { mark: '▶', look: 'text-water-strong' },
  'waiting for an answer': { mark: '?', look: 'text-warn' },
  stale: { mark: '▲', look: 'text-warn' },
  incomplete: { mark: '◐', look: 'text-warn' },
  failing: { mark: '✕', look: 'text-bad' },
  paused: { mark: '❙❙', look: 'text-ink-3' },
  'never synced': { mark: '○', look: 'text-ink-3' },
};

/** How fresh a source is, in a word, with a shape that tells it without colour. */
export function Freshness({ source }: { source: Source }): ReactNode {
  const { mark, look } = marks[source.freshness];
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm whitespace-nowrap ${look}`}>
      <span aria-hidden="true" className={source.freshness === 'syncing' ? 'breathing text-xs' : 'text-xs'}>
        {mark}
      </span>
      {source.freshness}
    </span>
  );
}

/** When its last complete sync was, and when the next one is. */
export function Times({ source }: { source: Source }): ReactNode {
  return (
    <>
      <span>
        {source.listed_at ? (
          <>
            synced <Moment at={source.listed_at} />
          </>
        ) : (
          'not synced yet'
        )}
      </span>
      <span>
        {source.next_sync_at ? (
          <>
            next <Moment at={source.next_sync_at} />
          </>
        ) : source.paused ? (
          'paused: no next sync'
        ) : (
          'only when asked'
        )}
      </span>
    </>
  );
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { Freshness, Times } from './freshness.tsx';
import type { Source } from './list-sources.ts';
import { LiveSync } from './live-sync.tsx';
import { ObjectCounts } from './object-counts.tsx';
import { SourceControls } from './source-controls.tsx';
import { SyncStrip } from './sync-strip.tsx';

/** One source: how fresh it is, what it has brought, when it syncs next, and what it asks. */
export function SourceCard({ source }: { source: Source }): ReactNode {
  return (
    <li className="flex flex-col gap-2 px-4 py-3" aria-label={inertText(source.name)}>
      <div className="flex flex-col gap-x-4 gap-y-2 lg:flex-row lg:items-start">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <Link
              to="/operate/sources/$sourceId"
              params={{ sourceId: source.source_id }}
              className="link min-w-0 font-medium wrap-anywhere"
            >
              {inertText(source.name)}
            </Link>
            <Freshness source={source} />
          </p>
          <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-2">
            <span className="min-w-0 wrap-anywhere">{inertText(source.address)}</span>
            <span>feeds {source.pipeline}</span>
            <Times source={source} />
          </p>
          <ObjectCounts source={source} />
        </div>
        <div className="flex flex-col items-start gap-2 lg:items-end">
          <SyncStrip source={source} />
          <SourceControls source={source} />
        </div>
      </div>
      <LiveSync source={source} />
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Freshness, Times } from './freshness.tsx';
import { sourceQuery } from './list-sources.ts';
import { LiveSync } from './live-sync.tsx';
import { ObjectsTable } from './objects-table.tsx';
import { SourceControls } from './source-controls.tsx';
import { SourceSettings } from './source-settings.tsx';
import { SyncLines } from './sync-lines.tsx';
import { SyncStrip } from './sync-strip.tsx';
import { SyncTable } from './sync-table.tsx';

/** One source: its syncs, its objects with their fates, and how it is set up. */
export function SourcePage(): ReactNode {
  const { sourceId } = useParams({ from: '/shell/operate/sources/$sourceId' });
  const { fate, sync } = useSearch({ from: '/shell/operate/sources/$sourceId' });
  const navigate = useNavigate();
  const found = useQuery(sourceQuery(sourceId));
  if (found.isPending) return <LoadingLines lines={8} />;
  if (found.isError) return <ProblemNote error={found.error} onRetry={() => void found.refetch()} />;
  const source = found.data;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3 lg:flex-row lg:items-start lg:justify-between">
        <div className="flex min-w-0 flex-col gap-1">
          <p className="text-xs text-ink-2">
            <Link to="/operate/sources" className="link">
              Sources
            </Link>{' '}
            / <span className="wrap-anywhere">{inertText(source.address)}</span>
          </p>
          <div className="flex flex-wrap items-baseline gap-x-3">
            <h2 className="text-lg wrap-anywhere">{inertText(source.name)}</h2>
            <Freshness source={source} />
          </div>
          <p className="flex flex-wrap gap-x-4 text-xs text-ink-2">
            <span>feeds {source.pipeline}</span>
            <Times source={source} />
          </p>
        </div>
        <div className="flex flex-col items-start gap-2 lg:items-end">
          <SyncStrip source={source} />
          <SourceControls source={source} onRemoved={() => void navigate({ to: '/operate/sources' })} />
        </div>
      </div>
      <LiveSync source={source} />
      {sync !== undefined && <SyncLines source={source} syncId={sync} />}
      <ObjectsTable source={source} fate={fate} />
      <Panel title="Syncs">
        <SyncTable source={source} />
      </Panel>
      <SourceSettings source={source} />
    </div>
  );
}

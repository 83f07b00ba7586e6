import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIs } from '../../app/session.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { sourcesQuery } from './list-sources.ts';
import { SourceCard } from './source-card.tsx';

/** The places that feed pipelines by themselves, with how fresh each is. */
export function SourcesPage(): ReactNode {
  const sources = useQuery(sourcesQuery);
  const isAdmin = useIs('admin');
  if (sources.isPending) return <LoadingLines lines={6} />;
  if (sources.isError) return <ProblemNote error={sources.error} onRetry={() => void sources.refetch()} />;
  const add = (
    <Link to="/operate/sources/new" className={buttonClass('plain', true)}>
      <Icon name="plus" /> Add a source
    </Link>
  );
  return (
    <Panel title="Sources" aside={isAdmin && add}>
      {sources.data.data.length === 0 ? (
        <EmptyState title="No source is connected yet">
          A source is a bucket, a server or a folder. Millrace syncs it on a schedule, and each new or changed file
          becomes a run.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {sources.data.data.map((source) => (
            <SourceCard key={source.source_id} source={source} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

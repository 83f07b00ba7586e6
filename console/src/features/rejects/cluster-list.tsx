// The rejects by cause. Each cluster says what is wrong, how many rows it holds, what they look like and what would fix them.

import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { exactly } from '../../ui/tabs.ts';
import { RereadButton } from '../reading/reread-button.tsx';
import { type Fix, FixDialog } from './fix-dialog.tsx';
import type { Cluster } from './list-clusters.ts';
import type { RejectSearch } from './reject-search.ts';
import { ReplaceDialog } from './replace-dialog.tsx';

interface Props {
  readonly runId: string;
  readonly clusters: readonly Cluster[];
  readonly search: RejectSearch;
}

export function ClusterList({ runId, clusters, search }: Props): ReactNode {
  const [fixing, setFixing] = useState<{ cluster: Cluster; fix: Fix }>();
  const [replacing, setReplacing] = useState<Cluster>();
  const total = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
  const { cluster: _, ...rest } = search;
  return (
    <nav aria-label="Causes" className="flex flex-col gap-2">
      <Link
        to="/r/$runId/rejects"
        params={{ runId }}
        search={rest}
        className={`card flex items-baseline justify-between px-3 py-2 text-sm hover:border-water ${search.cluster ? '' : 'border-water! bg-water-soft/50!'}`}
        activeOptions={exactly}
      >
        All causes <span className="figures text-ink-2">{count(total)}</span>
      </Link>
      <ul className="flex flex-col gap-2">
        {clusters.map((cluster) => (
          <li key={cluster.cluster}>
            <ClusterCard
              runId={runId}
              cluster={cluster}
              search={search}
              onFix={(fix) => setFixing({ cluster, fix })}
              onReplace={() => setReplacing(cluster)}
            />
          </li>
        ))}
      </ul>
      {replacing?.column && (
        <ReplaceDialog
          cluster={replacing}
          column={replacing.column}
          onClose={() => setReplacing(undefined)}
          onFix={(fix) => {
            setReplacing(undefined);
            setFixing({ cluster: replacing, fix });
          }}
        />
      )}
      {fixing && (
        <FixDialog runId={runId} cluster={fixing.cluster} fix={fixing.fix} onClose={() => setFixing(undefined)} />
      )}
    </nav>
  );
}

function ClusterCard({
  runId,
  cluster,
  search,
  onFix,
  onReplace,
}: {
  runId: string;
  cluster: Cluster;
  search: RejectSearch;
  onFix: (fix: Fix) => void;
  onReplace: () => void;
}): ReactNode {
  const current = search.cluster === cluster.cluster;
  const settled = cluster.open === 0;
  return (
    <div className={`card flex flex-col gap-2 px-3 py-2.5 ${current ? 'border-water! bg-water-soft/50!' : ''}`}>
      <Link
        to="/r/$runId/rejects"
        params={{ runId }}
        search={{ ...search, cluster: cluster.cluster }}
        activeOptions={exactly}
        className="flex flex-col gap-1 hover:[&_strong]:underline"
      >
        <span className="flex items-baseline justify-between gap-3">
          <strong className="min-w-0 font-medium wrap-anywhere">
            {cluster.column && <span className="figures text-xs">{inertText(cluster.column)}</span>}{' '}
            {inertText(cluster.message)}
          </strong>
          <span className={`figures text-sm whitespace-nowrap ${settled ? 'text-good' : 'text-bad'}`}>
            {count(cluster.count)}
          </span>
        </span>
        <span className="truncate text-xs text-ink-2">
          {cluster.examples
            .slice(0, 3)
            .map((example) =>
              example.value === null || example.value === '' ? '(empty)' : `“${inertText(example.value)}”`,
            )
            .join(' · ')}
        </span>
      </Link>
      <ClusterProgress cluster={cluster} />
      {cluster.open > 0 && <Remedy runId={runId} cluster={cluster} onFix={onFix} onReplace={onReplace} />}
    </div>
  );
}

/** The evident fix where there is one; else a value can be replaced by hand in all rows at once. */
function Remedy({
  runId,
  cluster,
  onFix,
  onReplace,
}: {
  runId: string;
  cluster: Cluster;
  onFix: (fix: Fix) => void;
  onReplace: () => void;
}): ReactNode {
  const { fix, column, examples } = cluster;
  const replaceable = column !== null && examples.some((example) => example.value);
  if (!fix && !replaceable) return null;
  return (
    <div className="flex items-center justify-between gap-2 border-t border-line pt-2">
      <span className="text-xs text-ink-2">{fix ? fix.label : 'no suggested fix'}</span>
      {fix?.kind === 'reread' ? (
        <RereadButton runId={runId} choices={fix.params} label="Read again this way" />
      ) : fix ? (
        <Button small look="main" onClick={() => onFix(fix)}>
          Apply to all {count(cluster.open)}
        </Button>
      ) : (
        <Button small onClick={onReplace}>
          Replace a value…
        </Button>
      )}
    </div>
  );
}

/** How far a cluster is: open, corrected, replaying, stored. */
function ClusterProgress({ cluster }: { cluster: Cluster }): ReactNode {
  const parts = [
    { key: 'resolved', value: cluster.resolved, look: 'bg-good', word: 'stored' },
    { key: 'replayed', value: cluster.replayed, look: 'out out-updated', word: 'replaying' },
    { key: 'corrected', value: cluster.corrected, look: 'out out-stale', word: 'corrected' },
    { key: 'open', value: cluster.open, look: 'out out-rejected', word: 'open' },
  ].filter((part) => part.value > 0);
  const words = parts.map((part) => `${count(part.value)} ${part.word}`).join(' · ');
  return (
    <div>
      <div
        role="img"
        aria-label={`${plural(cluster.count, 'row')}: ${words}`}
        className="flex h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        {parts.map((part) => (
          <span
            key={part.key}
            className={`${part.look} transition-[width] duration-700`}
            style={{ width: `${(part.value / cluster.count) * 100}%` }}
          />
        ))}
      </div>
      <p className="mt-1 text-2xs text-ink-3">{words}</p>
    </div>
  );
}

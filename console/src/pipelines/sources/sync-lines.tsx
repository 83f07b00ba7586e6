import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { linesQuery, type Source, type SyncLine } from './list-sources.ts';
import { titleOf } from './sync-strip.tsx';

const looks: Record<SyncLine['fate'], string> = {
  new: 'text-good',
  changed: 'text-water-strong',
  unchanged: 'text-ink-2',
  refused: 'text-bad',
  vanished: 'text-warn',
};

/** What one sync found that was not as before: new, changed, refused and vanished objects, a line each. */
export function SyncLines({ source, syncId }: { source: Source; syncId: string }): ReactNode {
  const lines = useInfiniteQuery(linesQuery(source.source_id, syncId));
  const sync = source.syncs.find((each) => each.sync_id === syncId);
  const close = (
    <Link to="/operate/sources/$sourceId" params={{ sourceId: source.source_id }} search={{}} className="link">
      close
    </Link>
  );
  return (
    <Panel title="What this sync found" aside={close}>
      {sync && <p className="px-4 pt-2 text-sm text-ink-2">{titleOf(sync)}</p>}
      {lines.isPending && <LoadingLines lines={4} />}
      {lines.isError && <ProblemNote error={lines.error} onRetry={() => void lines.refetch()} />}
      {lines.data && <Lines lines={lines.data.pages.flatMap(({ data }) => data)} />}
      <ShowMore pages={lines} />
    </Panel>
  );
}

function Lines({ lines }: { lines: readonly SyncLine[] }): ReactNode {
  if (lines.length === 0)
    return <EmptyState title="Nothing was different">No object changed since the last sync.</EmptyState>;
  return (
    <Table label="What this sync found" head={['Object', 'Fate', 'Run', 'Reason']}>
      {lines.map((line) => (
        <Row key={`${line.key} ${line.fate}`}>
          <Cell className="min-w-40 wrap-anywhere">{inertText(line.key)}</Cell>
          <Cell className={looks[line.fate]}>{line.fate}</Cell>
          <Cell>
            {line.run_id === null ? (
              '–'
            ) : (
              <Link to="/r/$runId" params={{ runId: line.run_id }} className="link">
                open
              </Link>
            )}
          </Cell>
          <Cell className="text-ink-2">{line.error_code ?? '–'}</Cell>
        </Row>
      ))}
    </Table>
  );
}

import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runPartsOf } from '../../pipelines/all.ts';
import { count } from '../../ui/figures.ts';
import { Panel } from '../../ui/page.tsx';
import { meanings, outcomeClass, receiptBar } from '../../ui/receipt/receipt-segments.ts';
import { exactly } from '../../ui/tabs.ts';
import { FileRows } from './file-rows.tsx';
import { runQuery } from './show-run.ts';

const nothing = 'This run stored no rows that are still current';
const route = getRouteApi('/shell/r/$runId/rows');

/** The rows of the file by how they ended; a segment of the receipt shows its own. */
export function StoredRows(): ReactNode {
  const { runId } = route.useParams();
  const { outcome } = route.useSearch();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { Stored } = runPartsOf(run.pipeline);
  const outcomes = receiptBar(run).segments.filter(
    (segment) => !['rejected', 'pending', 'missing', 'through'].includes(segment.outcome),
  );
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <nav aria-label="Which rows" className="flex flex-wrap gap-1">
        <Choice runId={runId} outcome={undefined}>
          All
        </Choice>
        {outcomes.map((segment) => (
          <Choice key={segment.outcome} runId={runId} outcome={segment.outcome}>
            <span
              aria-hidden="true"
              className={`${outcomeClass(segment.outcome)} mr-1 inline-block size-2.5 rounded-xs`}
            />
            {segment.outcome} {count(segment.count)}
          </Choice>
        ))}
      </nav>
      <Panel
        title={outcome ? `Rows that ended as ${outcome}` : 'Rows of the file'}
        aside={outcome && meanings[outcome]}
      >
        <FileRows
          run={run}
          outcome={outcome}
          forgotten={
            <>
              <p className="border-b border-line px-4 py-2 text-sm text-ink-2">
                Millrace keeps the outcome of each line for some days only.
                {Stored && ' Below are the rows of this run that no later run replaced.'}
              </p>
              {Stored && <Stored runId={runId} empty={nothing} />}
            </>
          }
        />
      </Panel>
    </div>
  );
}

function Choice({
  runId,
  outcome,
  children,
}: {
  runId: string;
  outcome: string | undefined;
  children: ReactNode;
}): ReactNode {
  return (
    <Link
      to="/r/$runId/rows"
      params={{ runId }}
      search={outcome ? { outcome } : {}}
      activeOptions={exactly}
      className="chip"
    >
      {children}
    </Link>
  );
}

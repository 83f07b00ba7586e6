// A few rows that an attempt read and a few that it stored; each leads to the page with all rows.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { readingQuery } from '../reading/show-reading.ts';
import { fileColumns } from './file-columns.ts';
import { rowSampleQuery } from './list-file-rows.ts';

const SHOWN = 3;

/** Where the pipeline shows how it reads files; another one keeps to itself what it reads and writes. */
export function AttemptSamples({ run }: { run: RunDetail }): ReactNode {
  if (!runPartsOf(run.pipeline).reader) return null;
  const params = { runId: run.run_id };
  return (
    <div className="flex flex-col gap-3 border-t border-line px-3 py-2 text-xs">
      <div>
        <Link to="/r/$runId/reading" params={params} className="link">
          What it read
        </Link>
        <ReadSample run={run} />
      </div>
      <div>
        <Link to="/r/$runId/rows" params={params} search={{}} className="link">
          What it stored
        </Link>
        <StoredSample run={run} />
      </div>
      {run.rejects.total > 0 && (
        <Link to="/r/$runId/rejects" params={params} search={{}} className="link">
          What it refused
        </Link>
      )}
    </div>
  );
}

function ReadSample({ run }: { run: RunDetail }): ReactNode {
  const { data: reading } = useQuery(readingQuery(run));
  if (!reading || reading.sample.length === 0) return <Nothing>It has not read a row yet.</Nothing>;
  return (
    <Table label="First rows as they were read" head={[right('Line'), ...reading.header.map(inertText)]}>
      {reading.sample.slice(0, SHOWN).map(({ line, cells }) => (
        <Row key={line}>
          <Cell className="figures text-right text-ink-3">{count(line)}</Cell>
          {reading.header.map((name, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns of a file may have one name
            <Cell key={`${column} ${name}`} className="figures max-w-40 truncate">
              {inertText(cells[column] ?? '')}
            </Cell>
          ))}
        </Row>
      ))}
    </Table>
  );
}

function StoredSample({ run }: { run: RunDetail }): ReactNode {
  const { data } = useQuery(rowSampleQuery(run.run_id, SHOWN, run.updated_at));
  const rows = data?.data ?? [];
  if (rows.length === 0)
    return <Nothing>{run.finished_at ? 'No row to show.' : 'It has not stored a row yet.'}</Nothing>;
  const columns = fileColumns(rows, runPartsOf(run.pipeline).columns);
  return (
    <Table
      label="The same rows as they ended"
      head={[right('Line'), 'Ended as', ...columns.map(({ label, isFigure }) => (isFigure ? right(label) : label))]}
    >
      {rows.map((row) => (
        <Row key={row.row}>
          <Cell className="figures text-right text-ink-3">{count(row.line)}</Cell>
          <Cell>{row.outcome}</Cell>
          {columns.map(({ name, isFigure }) => (
            <Cell key={name} className={isFigure ? 'figures text-right' : 'max-w-40 truncate'}>
              {inertText(row.cells[name] ?? '')}
            </Cell>
          ))}
        </Row>
      ))}
    </Table>
  );
}

function Nothing({ children }: { children: ReactNode }): ReactNode {
  return <p className="mt-1 text-ink-3">{children}</p>;
}

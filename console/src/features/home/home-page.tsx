import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { useIs } from '../../app/session.ts';
import { Moment } from '../../ui/moment.tsx';
import { usePageTitle } from '../../ui/page.tsx';
import { ReceiptMini } from '../../ui/receipt/receipt-mini.tsx';
import { runName } from '../../ui/run-name.ts';
import { RunPill } from '../../ui/state-pill.tsx';
import { EmptyState, LoadingLines } from '../../ui/states.tsx';
import { recentRunsQuery } from '../runs/list-recent-runs.ts';
import { kindsOf } from '../tray/kinds.ts';
import { Checklist } from './checklist.tsx';
import { DropZone } from './drop-zone.tsx';
import { SampleTiles } from './sample-tiles.tsx';

export function HomePage(): ReactNode {
  usePageTitle('Drop');
  const mayDrop = useIs('admin', 'user');
  const pipelines = useQuery(pipelinesQuery);
  if (!mayDrop)
    return (
      <EmptyState icon="stop" title="Your role may not upload files" page>
        <p>
          Support looks after{' '}
          <Link to="/operate/dead-letters" className="link">
            dead letters
          </Link>
          .
        </p>
      </EmptyState>
    );
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-7 px-4 py-8">
      <h1 className="sr-only">Drop files</h1>
      <DropZone
        accepts={acceptedWords(pipelines.data?.data.flatMap((each) => each.accepts))}
        kinds={kindsOf(pipelines.data?.data ?? [])}
      />
      <SampleTiles />
      <Checklist />
      <LastRuns />
    </div>
  );
}

/** Those that people know. The others are taken too; a headline that names them all is read by nobody. */
const usual = ['csv', 'json', 'xlsx', 'pdf', 'docx', 'html'];

function acceptedWords(extensions: readonly string[] = []): string {
  const known = extensions.length > 0 ? usual.filter((each) => extensions.includes(each)) : usual;
  const words = [...new Set(known.length > 0 ? known : extensions)].map((each) => each.toUpperCase());
  return words.length < 2 ? (words[0] ?? 'file') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function LastRuns(): ReactNode {
  const runs = useQuery(recentRunsQuery);
  if (runs.isPending) return <LoadingLines lines={5} label="Loading the last runs" />;
  const last = runs.data?.data.slice(0, 5) ?? [];
  if (last.length === 0) return null;
  return (
    <section aria-labelledby="last-title" className="flex flex-col gap-2">
      <h2 id="last-title" className="text-sm font-normal text-ink-2">
        Last runs
      </h2>
      <ul className="card divide-y divide-line">
        {last.map((run) => (
          <li key={run.run_id}>
            <Link
              to="/r/$runId"
              params={{ runId: run.run_id }}
              className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/60 sm:grid-cols-[minmax(0,1fr)_10rem_8rem_6rem]"
            >
              <span className="truncate">{runName(run)}</span>
              <span className="order-last col-span-2 sm:order-none sm:col-span-1">
                <ReceiptMini run={run} />
              </span>
              <span className="justify-self-end sm:justify-self-start">
                <RunPill run={run} />
              </span>
              <span className="hidden text-right text-xs text-ink-2 sm:block">
                <Moment at={run.created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

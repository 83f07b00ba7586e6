import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, duration } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { healthQuery, metricsQuery, readyQuery } from './show-health.ts';

export function HealthPage(): ReactNode {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="This server">
        <Readiness />
      </Panel>
      <Panel title="This tenant">
        <Figures />
      </Panel>
    </div>
  );
}

function Readiness(): ReactNode {
  const ready = useQuery(readyQuery);
  const health = useQuery(healthQuery);
  if (ready.isPending) return <LoadingLines lines={4} />;
  if (ready.isError) return <ProblemNote error={ready.error} onRetry={() => void ready.refetch()} />;
  const good = ready.data.status === 'ready';
  return (
    <>
      <p className={`px-4 py-3 font-medium ${good ? 'text-good' : 'text-bad'}`}>
        {good ? '✓ Ready' : '✕ Not ready'}
        {health.data && (
          <span className="font-normal text-ink-2">
            {' '}
            · version {health.data.version} · up {duration(health.data.uptime_s * 1000)}
          </span>
        )}
      </p>
      <Table label="Checks" head={['Check', 'State', 'Took', 'Detail']}>
        {Object.entries(ready.data.checks).map(([name, check]) => (
          <Row key={name}>
            <Cell>{name}</Cell>
            <Cell className={check.ok ? 'text-good' : 'text-bad'}>{check.ok ? '✓ answers' : '✕ fails'}</Cell>
            <Cell className="figures">{duration(check.ms)}</Cell>
            <Cell className="text-xs text-ink-2">{check.detail}</Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}

function Figures(): ReactNode {
  const metrics = useQuery(metricsQuery);
  if (metrics.isPending) return <LoadingLines lines={6} />;
  if (metrics.isError) return <ProblemNote error={metrics.error} onRetry={() => void metrics.refetch()} />;
  const { ingest, workers_alive, oldest_waiting_s } = metrics.data;
  return (
    <dl className="grid grid-cols-2 divide-line text-sm sm:grid-cols-3">
      <Figure name="workers alive" value={count(workers_alive)} bad={workers_alive === 0} />
      <Figure name="waiting or working" value={count(ingest.backlog_count)} />
      <Figure name="oldest waits" value={oldest_waiting_s === null ? '–' : duration(oldest_waiting_s * 1000)} />
      <Figure name="failed in 24 h" value={count(ingest.failed_24h)} bad={ingest.failed_24h > 0} />
      <Figure name="stale runs" value={count(ingest.stale_runs)} bad={ingest.stale_runs > 0} />
      <Figure name="dead letters" value={count(ingest.dead_letters)} bad={ingest.dead_letters > 0} />
      <Figure
        name="average run"
        value={ingest.avg_processing_s === null ? '–' : duration(ingest.avg_processing_s * 1000)}
      />
      {ingest.last_failed_at && (
        <div className="col-span-2 px-4 py-3">
          <dt className="label">last failure</dt>
          <dd>
            <Link to="/runs" search={{ phase: 'failed' }} className="link">
              {ingest.last_failed_batch ?? 'a run'}
            </Link>{' '}
            <Moment at={ingest.last_failed_at} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Figure({ name, value, bad = false }: { name: string; value: string; bad?: boolean }): ReactNode {
  return (
    <div className="px-4 py-3">
      <dt className="label">{name}</dt>
      <dd className={`figures text-xl font-semibold ${bad ? 'text-bad' : ''}`}>
        {bad && <span aria-hidden="true">▲ </span>}
        {value}
      </dd>
    </div>
  );
}

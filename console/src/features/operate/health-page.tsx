import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { kits } from '../../pipelines/all.ts';
import { Figure } from '../../ui/figure.tsx';
import { count, duration } from '../../ui/figures.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { healthQuery, metricsQuery, readyQuery } from './show-health.ts';

export function HealthPage(): ReactNode {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title="This server">
        <Readiness />
      </Panel>
      <Figures />
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
      <Table label="Checks" head={['Check', 'State', right('Took'), 'Detail']}>
        {Object.entries(ready.data.checks).map(([name, check]) => (
          <Row key={name}>
            <Cell>{name}</Cell>
            <Cell className={check.ok ? 'text-good' : 'text-bad'}>{check.ok ? '✓ good' : '✕ fails'}</Cell>
            <Cell className="figures text-right">{duration(check.ms)}</Cell>
            <Cell className="text-xs text-ink-2">{check.detail ?? '–'}</Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}

const phases = ['waiting', 'active', 'failed', 'dead'] as const;

function Figures(): ReactNode {
  const metrics = useQuery(metricsQuery);
  if (metrics.isPending) return <LoadingLines lines={6} />;
  if (metrics.isError) return <ProblemNote error={metrics.error} onRetry={() => void metrics.refetch()} />;
  const { pipelines, workers_alive, oldest_waiting_s, open_alerts } = metrics.data;
  const sum = (phase: string) => Object.values(pipelines).reduce((total, counts) => total + (counts[phase] ?? 0), 0);
  return (
    <>
      <Panel title="This tenant">
        <dl className="grid grid-cols-2 text-sm sm:grid-cols-3">
          <Figure name="Workers alive" value={count(workers_alive)} bad={workers_alive === 0} />
          <Figure name="Waiting or working" value={count(sum('waiting') + sum('active'))} />
          <Figure name="Oldest waits" value={oldest_waiting_s === null ? '–' : duration(oldest_waiting_s * 1000)} />
          <Figure name="Failed" value={count(sum('failed'))} bad={sum('failed') > 0} />
          <Figure name="Dead letters" value={count(sum('dead'))} bad={sum('dead') > 0} />
          <Figure name="Open alerts" value={count(open_alerts)} bad={open_alerts > 0} />
        </dl>
      </Panel>
      <Panel title="Pipelines">
        <Table
          label="Runs by pipeline"
          head={['Pipeline', right('Waiting'), right('Working'), right('Failed'), right('Dead letters')]}
        >
          {Object.entries(pipelines).map(([pipeline, counts]) => (
            <Row key={pipeline}>
              <Cell className="font-medium">{pipeline}</Cell>
              {phases.map((phase) => (
                <Cell key={phase} className="figures text-right">
                  <Link to="/runs" search={{ pipeline, phase }} className="hover:underline">
                    {count(counts[phase] ?? 0)}
                  </Link>
                </Cell>
              ))}
            </Row>
          ))}
        </Table>
      </Panel>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">
        <Suspense fallback={<LoadingLines lines={4} />}>
          {kits.map(({ name, HealthPanel }) => HealthPanel && <HealthPanel key={name} metrics={metrics.data} />)}
        </Suspense>
      </div>
    </>
  );
}

import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { Figure } from '../../ui/figure.tsx';
import { count, duration, percent } from '../../ui/figures.ts';
import { Panel } from '../../ui/page.tsx';

/** The figures that syncs are watched by. */
export function HealthPanel({ metrics: { syncs } }: { metrics: AnswerOf<'system.metrics'> }): ReactNode {
  const rates = Object.values(syncs.success_rate_by_connector);
  const good = rates.reduce((total, rate) => total + rate, 0);
  const retries = Object.values(syncs.retries_by_error).reduce((total, each) => total + each, 0);
  return (
    <Panel title="Syncs in the last day">
      <dl className="grid grid-cols-2 text-sm">
        <Figure name="Succeeded" value={rates.length === 0 ? '–' : percent(good, rates.length)} />
        <Figure
          name="A sync takes"
          value={syncs.avg_duration_s === null ? '–' : duration(syncs.avg_duration_s * 1000)}
        />
        <Figure name="Queued last minute" value={count(syncs.jobs_queued_per_minute)} />
        <Figure name="Tried again" value={count(retries)} />
      </dl>
    </Panel>
  );
}

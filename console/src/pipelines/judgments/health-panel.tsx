import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { Figure } from '../../ui/figure.tsx';
import { count, duration } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';

/** The figures that batches are watched by. */
export function HealthPanel({ metrics: { ingest } }: { metrics: AnswerOf<'system.metrics'> }): ReactNode {
  return (
    <Panel title="Judgments">
      <dl className="grid grid-cols-2 text-sm">
        <Figure name="Failed in 24 h" value={count(ingest.failed_24h)} bad={ingest.failed_24h > 0} />
        <Figure name="Stale runs" value={count(ingest.stale_runs)} bad={ingest.stale_runs > 0} />
        <Figure
          name="A batch takes"
          value={ingest.avg_processing_s === null ? '–' : duration(ingest.avg_processing_s * 1000)}
        />
        {ingest.last_failed_at && (
          <div className="px-4 py-3">
            <dt className="label">Last failure</dt>
            <dd className="min-w-0 truncate">
              <Link to="/runs" search={{ phase: 'failed', pipeline: 'judgments' }} className="link">
                {ingest.last_failed_batch ?? 'a run'}
              </Link>{' '}
              <Moment at={ingest.last_failed_at} />
            </dd>
          </div>
        )}
      </dl>
    </Panel>
  );
}

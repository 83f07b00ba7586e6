import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, hasCode } from '../../app/api.ts';
import { bytes } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { samplesQuery } from './list-samples.ts';

/** One tile per sample; a click uploads it as if it had been dropped. */
export function SampleTiles(): ReactNode {
  const samples = useQuery(samplesQuery);
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: (name: string) => call('samples.run', { params: { name } }),
    onSuccess: (answer) => navigate({ to: '/r/$runId', params: { runId: answer.upload_id } }),
  });
  if (samples.isPending) return <LoadingLines lines={2} label="Loading the samples" />;
  if (hasCode(samples.error, 'not_available')) return null;
  if (samples.isError) return <ProblemNote error={samples.error} onRetry={() => void samples.refetch()} />;
  if (samples.data.data.length === 0) return null;
  return (
    <section aria-labelledby="samples-title" className="flex flex-col gap-3">
      <h2 id="samples-title" className="text-sm font-normal text-ink-2">
        …or try a sample. Each is deliberately dirty.
      </h2>
      {run.isError && <ProblemNote error={run.error} />}
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {samples.data.data.map((sample) => (
          <li key={sample.name} className="flex">
            <button
              type="button"
              disabled={run.isPending}
              onClick={() => run.mutate(sample.name)}
              className="card flex w-full flex-col gap-1.5 p-4 text-left transition-colors hover:border-water hover:bg-raised disabled:opacity-60"
            >
              <span className="flex items-start gap-2 font-medium">
                <Icon name="file" className="mt-0.5 text-water" />
                {sample.title}
              </span>
              <span className="text-sm text-ink-2">{sample.about}</span>
              <span className="figures mt-auto pt-1 text-xs text-ink-3">
                {sample.filename} · {bytes(sample.size_bytes)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

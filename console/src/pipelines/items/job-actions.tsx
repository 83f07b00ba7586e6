// What can be done with the whole job: pause, resume, reprocess what failed, export.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { isLive, type Job } from './list-items.ts';

export function JobActions({ job }: { job: Job }): ReactNode {
  const client = useQueryClient();
  const params = { job_id: job.jobId };
  const onSuccess = () => void client.invalidateQueries({ queryKey: ['items', job.jobId] });
  const pause = useMutation({ mutationFn: () => call('jobs.pause', { params }), onSuccess });
  const resume = useMutation({ mutationFn: () => call('jobs.resume', { params }), onSuccess });
  const again = useMutation({ mutationFn: () => call('jobs.reprocess', { params, body: {} }), onSuccess });
  const write = useMutation({
    mutationFn: (format: 'csv' | 'xlsx') => call('jobs.export', { params, query: { format } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const error = pause.error ?? resume.error ?? again.error ?? write.error;
  const failed = job.error_items + job.not_found_items;
  return (
    <>
      {isLive(job) && job.queue_state !== 'PAUSED' && (
        <Button small busy={pause.isPending} onClick={() => pause.mutate()}>
          Pause
        </Button>
      )}
      {job.queue_state === 'PAUSED' && (
        <Button small look="main" busy={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {failed > 0 && (
        <Button small icon="replay" busy={again.isPending} onClick={() => again.mutate()}>
          Reprocess ERROR and NOT_FOUND
        </Button>
      )}
      {(['xlsx', 'csv'] as const).map((format) => (
        <Button
          key={format}
          small
          busy={write.isPending && write.variables === format}
          onClick={() => write.mutate(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {error && <ProblemNote error={error} />}
    </>
  );
}

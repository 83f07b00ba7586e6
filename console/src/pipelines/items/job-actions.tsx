// What can be done with the whole job: pause, resume, reprocess what failed, export.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { bytes, plural } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
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
          Reprocess {plural(failed, 'row')} (ERROR, NOT_FOUND)
        </Button>
      )}
      {(['xlsx', 'csv'] as const).map((format) => (
        <Button
          key={format}
          small
          busy={write.isPending && write.variables === format}
          onClick={() => write.mutate(format)}
        >
          Export {format.toUpperCase()}
        </Button>
      ))}
      {write.data && (
        <output>
          <a className="link" href={write.data.url} download>
            Download {write.data.format.toUpperCase()}
          </a>
          : {plural(write.data.rows, 'row')} as of <Moment at={write.data.as_of} />, {bytes(write.data.bytes)}
        </output>
      )}
      {error && <ProblemNote error={error} />}
    </>
  );
}

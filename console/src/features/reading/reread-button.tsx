// Reads the stored file of an upload again, by what is saved now and what is said with the click, and goes to the new run.
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallArgs } from '../../../../src/contract/api/client.ts';
import { call, type RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/states.tsx';

type Choices = NonNullable<CallArgs<'uploads.reread'>['body']>;

/** Only of uploads that have ended; others cannot be read again yet. */
export function mayReread(run: RunDetail): boolean {
  const { reader } = runPartsOf(run.pipeline);
  return reader?.canReread === true && run.file !== null && (run.phase === 'done' || run.phase === 'failed');
}

export function RereadButton({
  runId,
  choices = {},
  label = 'Read again',
}: {
  runId: string;
  choices?: Choices;
  label?: string;
}): ReactNode {
  const navigate = useNavigate();
  const reread = useMutation({
    mutationFn: () => call('uploads.reread', { params: { upload_id: runId }, body: choices }),
    onSuccess: ({ upload_id }) => navigate({ to: '/r/$runId', params: { runId: upload_id } }),
  });
  return (
    <>
      <Button look="main" icon="replay" busy={reread.isPending} onClick={() => reread.mutate()}>
        {label}
      </Button>
      {reread.isError && <ProblemNote error={reread.error} />}
    </>
  );
}

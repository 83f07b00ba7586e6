// What may be done with a run now. The server says which actions are legal; nothing else is offered.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call, type RunAction, type RunDetail } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { RereadButton } from '../reading/reread-button.tsx';
import { AcknowledgeDialog } from './acknowledge-dialog.tsx';
import { MainAction, mainActionOf } from './main-action.tsx';
import { RequeueDialog } from './requeue-dialog.tsx';
import { UndoDialog } from './undo-dialog.tsx';
import { VerifyDialog } from './verify-dialog.tsx';

type Direct = 'hold' | 'resume' | 'cancel' | 'retry' | 'promote_valid';

const words: Record<Direct, { label: string; icon: IconName; ask?: string }> = {
  hold: { label: 'Hold', icon: 'pause' },
  resume: { label: 'Resume', icon: 'play' },
  cancel: {
    label: 'Cancel',
    icon: 'stop',
    ask: 'The running stage stops and writes nothing more. Rows that are already stored stay.',
  },
  retry: { label: 'Retry', icon: 'replay' },
  promote_valid: {
    label: 'Store the valid rows',
    icon: 'play',
    ask: 'Too few rows were valid. A new run stores the valid rows and ends as partial.',
  },
};

const order: readonly Direct[] = ['resume', 'retry', 'promote_valid', 'hold', 'cancel'];

export function RunActions({ run }: { run: RunDetail }): ReactNode {
  const [open, setOpen] = useState<RunAction>();
  const act = useAct(run.run_id);
  const legal = order.filter((action) => run.actions.includes(action));
  const start = (action: Direct) => (words[action].ask ? setOpen(action) : act.mutate(action));
  return (
    <>
      <MainAction run={run} />
      {legal.map((action) => (
        <Button
          key={action}
          icon={words[action].icon}
          look={action === 'cancel' ? 'danger' : action === 'retry' && !mainActionOf(run) ? 'main' : 'plain'}
          busy={act.isPending && act.variables === action}
          onClick={() => start(action)}
        >
          {words[action].label}
        </Button>
      ))}
      {run.error?.code === 'report_without_days' && run.retried_as === null && (
        <RereadButton runId={run.run_id} choices={{ as_period: true }} label="Store the range as one period" />
      )}
      {run.actions.includes('verify') && (
        <Button icon="check" onClick={() => setOpen('verify')}>
          Verify
        </Button>
      )}
      {run.actions.includes('undo') && (
        <Button icon="undo" onClick={() => setOpen('undo')}>
          Undo
        </Button>
      )}
      {run.actions.includes('requeue') && (
        <Button icon="replay" look="main" onClick={() => setOpen('requeue')}>
          Requeue
        </Button>
      )}
      {run.actions.includes('acknowledge') && (
        <Button icon="check" onClick={() => setOpen('acknowledge')}>
          Acknowledge
        </Button>
      )}
      {act.isError && (
        <Modal title="That did not work" onClose={() => act.reset()}>
          <ProblemNote error={act.error} />
        </Modal>
      )}
      {(open === 'cancel' || open === 'promote_valid') && (
        <Modal title={`${words[open].label}?`} onClose={() => setOpen(undefined)}>
          <p>{words[open].ask}</p>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={() => setOpen(undefined)}>Go back</Button>
            <Button
              look={open === 'cancel' ? 'danger' : 'main'}
              onClick={() => {
                act.mutate(open);
                setOpen(undefined);
              }}
            >
              {words[open].label}
            </Button>
          </div>
        </Modal>
      )}
      {open === 'verify' && <VerifyDialog runId={run.run_id} onClose={() => setOpen(undefined)} />}
      {open === 'undo' && <UndoDialog runId={run.run_id} onClose={() => setOpen(undefined)} />}
      {open === 'requeue' && <RequeueDialog runId={run.run_id} onClose={() => setOpen(undefined)} />}
      {open === 'acknowledge' && <AcknowledgeDialog runId={run.run_id} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function useAct(runId: string) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = { run_id: runId };
  return useMutation({
    mutationFn: (action: Direct) => {
      if (action === 'hold') return call('runs.hold', { params });
      if (action === 'resume') return call('runs.resume', { params });
      if (action === 'cancel') return call('runs.cancel', { params });
      if (action === 'retry') return call('runs.retry', { params });
      return call('runs.retry', { params, body: { force_partial: true } });
    },
    onSuccess: async (link) => {
      await client.invalidateQueries({ queryKey: ['run', runId, 'detail'] });
      if (link.run_id !== runId) await navigate({ to: '/r/$runId', params: { runId: link.run_id } });
    },
  });
}

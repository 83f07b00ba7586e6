// What an admin may do with an endpoint. An action that nobody can undo asks first; recovering shows the count before it starts.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import type { Webhook } from './list-webhooks.ts';
import { RecoverDialog } from './recover-dialog.tsx';

type Ask = 'rotate' | 'remove' | 'recover';

export function WebhookActions({
  webhook,
  onSecret,
}: {
  webhook: Webhook;
  onSecret: (secret: string) => void;
}): ReactNode {
  const [ask, setAsk] = useState<Ask>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { endpoint_id: webhook.endpoint_id };
  const refresh = () => queries.invalidateQueries({ queryKey: ['operate', 'webhooks'] });
  const toggle = useMutation({
    mutationFn: () => call(webhook.enabled ? 'webhooks.disable' : 'webhooks.enable', { params }),
    onSuccess: refresh,
  });
  const test = useMutation({ mutationFn: () => call('webhooks.test', { params }), onSuccess: refresh });
  const rotate = useMutation({
    mutationFn: () => call('webhooks.rotate', { params, body: { grace_hours: 24 } }),
    onSuccess: async ({ secret }) => {
      setAsk(undefined);
      onSecret(secret);
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => call('webhooks.remove', { params }),
    onSuccess: async () => {
      await refresh();
      await navigate({ to: '/operate/webhooks' });
    },
  });
  const fault = toggle.error ?? test.error;
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button small icon="play" busy={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      <Button small icon={webhook.enabled ? 'pause' : 'play'} busy={toggle.isPending} onClick={() => toggle.mutate()}>
        {webhook.enabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button small icon="replay" disabled={!webhook.enabled} onClick={() => setAsk('recover')}>
        Recover…
      </Button>
      <Button small onClick={() => setAsk('rotate')}>
        New secret…
      </Button>
      <Button small look="danger" onClick={() => setAsk('remove')}>
        Remove…
      </Button>
      {test.data && (
        <Modal title={test.data.ok ? 'The test arrived' : 'The test did not arrive'} onClose={() => test.reset()}>
          <p>
            {test.data.ok ? '✓' : '✕'} {test.data.message}
          </p>
          <p className="mt-2 text-xs text-ink-2">
            {test.data.status === null ? 'no answer' : `HTTP ${test.data.status}`} in {test.data.ms} ms
            {test.data.error_code && ` · ${test.data.error_code}`}
          </p>
        </Modal>
      )}
      {fault && (
        <Modal
          title="That did not work"
          onClose={() => {
            toggle.reset();
            test.reset();
          }}
        >
          <ProblemNote error={fault} />
        </Modal>
      )}
      {ask === 'rotate' && (
        <Confirm
          title="Make a new secret?"
          label="Make a new secret"
          busy={rotate.isPending}
          error={rotate.error}
          onClose={() => setAsk(undefined)}
          onGo={() => rotate.mutate()}
        >
          For 24 hours Millrace signs with both secrets, so that you can change the receiver without losing messages.
        </Confirm>
      )}
      {ask === 'remove' && (
        <Confirm
          title="Remove this endpoint?"
          label="Remove"
          busy={remove.isPending}
          error={remove.error}
          onClose={() => setAsk(undefined)}
          onGo={() => remove.mutate()}
        >
          Its log goes with it, and {plural(webhook.waiting, 'delivery', 'deliveries')} that it has still to get.
        </Confirm>
      )}
      {ask === 'recover' && <RecoverDialog endpointId={webhook.endpoint_id} onClose={() => setAsk(undefined)} />}
    </div>
  );
}

function Confirm({
  title,
  label,
  busy,
  error,
  children,
  onClose,
  onGo,
}: {
  title: string;
  label: string;
  busy: boolean;
  error: unknown;
  children: ReactNode;
  onClose: () => void;
  onGo: () => void;
}): ReactNode {
  return (
    <Modal title={title} onClose={onClose}>
      <p>{children}</p>
      {error !== null && <ProblemNote error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look={label === 'Remove' ? 'danger' : 'main'} busy={busy} onClick={onGo}>
          {label}
        </Button>
      </div>
    </Modal>
  );
}

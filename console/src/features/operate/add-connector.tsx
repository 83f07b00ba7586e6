import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { connectorsQuery } from './list-connectors.ts';

/** Chooses one of the connections Airbyte has and puts it on the schedule. */
export function AddConnector({ onClose }: { onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const available = useQuery({
    queryKey: ['operate', 'connections'],
    queryFn: ({ signal }) => call('connectors.available', { signal }),
    retry: false,
  });
  const [connectionId, setConnectionId] = useState('');
  const [name, setName] = useState('');
  const [account, setAccount] = useState('');
  const add = useMutation({
    mutationFn: () =>
      call('connectors.create', { body: { name, connection_id: connectionId, external_account_id: account } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Modal title="Add a connector" onClose={onClose}>
      {available.isPending && <LoadingLines lines={4} label="Asking Airbyte" />}
      {available.isError && <ProblemNote error={available.error} onRetry={() => void available.refetch()} />}
      {available.data?.data.length === 0 && <EmptyState title="Airbyte has no connection to choose" />}
      {available.data && available.data.data.length > 0 && (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <label className="flex flex-col gap-1 text-xs font-medium text-ink-2">
            Connection at Airbyte
            <select
              required
              value={connectionId}
              onChange={(event) => setConnectionId(event.target.value)}
              className="control min-h-9"
            >
              <option value="">choose one</option>
              {available.data.data.map((connection) => (
                <option key={connection.connection_id} value={connection.connection_id}>
                  {inertText(connection.name)} ({connection.status})
                </option>
              ))}
            </select>
          </label>
          <Field label="Name" required maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
          <Field
            label="Account"
            required
            maxLength={200}
            value={account}
            onChange={(event) => setAccount(event.target.value)}
            hint="The account at the source that this connection reads."
          />
          {add.isError && <ProblemNote error={add.error} />}
          <Button type="submit" look="main" className="self-end" busy={add.isPending}>
            Add
          </Button>
        </form>
      )}
    </Modal>
  );
}

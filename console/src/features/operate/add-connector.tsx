import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { intervalHint, secondsOf } from './connector-interval.ts';
import { connectorsQuery } from './list-connectors.ts';

/** Chooses one of the connections Airbyte has and puts it on the schedule. */
export function AddConnector({ onClose }: { onClose: () => void }): ReactNode {
  const available = useQuery({
    queryKey: ['operate', 'connections'],
    queryFn: ({ signal }) => call('connectors.available', { signal }),
    retry: false,
  });
  const [connectionId, setConnectionId] = useState('');
  const [name, setName] = useState('');
  const [account, setAccount] = useState('');
  const [hours, setHours] = useState('');
  if (!available.data || available.data.data.length === 0)
    return (
      <Modal title="Add a connector" onClose={onClose}>
        {available.isPending && <LoadingLines lines={4} label="Asking Airbyte" />}
        {available.isError && <ProblemNote error={available.error} onRetry={() => void available.refetch()} />}
        {available.data && <EmptyState title="Airbyte has no connection to choose" />}
      </Modal>
    );
  const connections = available.data.data;
  const choose = (id: string) => {
    setConnectionId(id);
    // The name at Airbyte is mostly the right one; what somebody typed stays.
    if (name === '' || connections.some((each) => each.name === name))
      setName(connections.find((each) => each.connection_id === id)?.name ?? '');
  };
  const body = {
    name,
    connection_id: connectionId,
    external_account_id: account,
    interval_seconds: secondsOf(hours),
  };
  return (
    <FormDialog
      title="Add a connector"
      submit="Add"
      send={() => call('connectors.create', { body })}
      refresh={connectorsQuery.queryKey}
      onClose={onClose}
    >
      <label className="flex flex-col gap-1 text-xs font-medium text-ink-2">
        Connection at Airbyte
        <select
          required
          value={connectionId}
          onChange={(event) => choose(event.target.value)}
          className="control min-h-9"
        >
          <option value="">choose one</option>
          {connections.map((connection) => (
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
      <Field
        label="Every how many hours"
        type="number"
        min={1}
        max={8760}
        value={hours}
        onChange={(event) => setHours(event.target.value)}
        hint={intervalHint}
      />
    </FormDialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { ConnectorFields } from './connector-fields.tsx';
import { secondsOf } from './connector-interval.ts';
import { connectorsQuery } from './list-connectors.ts';

/** Chooses one of the connections Airbyte has and puts it on the schedule. */
export function AddConnector({ onClose }: { onClose: () => void }): ReactNode {
  const available = useQuery({
    queryKey: ['operate', 'connections'],
    queryFn: ({ signal }) => call('connectors.available', { signal }),
    retry: false,
  });
  const [connectionId, setConnectionId] = useState('');
  const [words, setWords] = useState({ name: '', account: '', hours: '' });
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
    if (words.name === '' || connections.some((each) => each.name === words.name))
      setWords({ ...words, name: connections.find((each) => each.connection_id === id)?.name ?? '' });
  };
  const body = {
    name: words.name,
    connection_id: connectionId,
    external_account_id: words.account,
    interval_seconds: secondsOf(words.hours),
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
      <ConnectorFields words={words} onChange={setWords} />
    </FormDialog>
  );
}

// Changing a connector, and removing it.
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { hoursOf, intervalHint, secondsOf } from './connector-interval.ts';
import { type Connector, connectorsQuery } from './list-connectors.ts';

interface Props {
  readonly connector: Connector;
  readonly onClose: () => void;
}

export function ChangeConnector({ connector, onClose }: Props): ReactNode {
  const [name, setName] = useState(connector.name);
  const [account, setAccount] = useState(connector.external_account_id);
  const [hours, setHours] = useState(hoursOf(connector.interval_seconds));
  const body = {
    name,
    external_account_id: account,
    ...(hours === hoursOf(connector.interval_seconds) ? {} : { interval_seconds: secondsOf(hours) }),
  };
  const params = { connector_id: connector.connector_id };
  return (
    <FormDialog
      title="Change the connector"
      submit="Save"
      send={() => call('connectors.update', { params, body })}
      refresh={connectorsQuery.queryKey}
      onClose={onClose}
    >
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

export function RemoveConnector({ connector, onClose }: Props): ReactNode {
  const params = { connector_id: connector.connector_id };
  return (
    <FormDialog
      title={`Remove ${inertText(connector.name)}?`}
      submit="Remove"
      danger
      send={() => call('connectors.remove', { params })}
      refresh={connectorsQuery.queryKey}
      onClose={onClose}
    >
      <p>
        It is synced no more, and its credential is forgotten. What it has brought and the history of its syncs stay.
        {connector.live_job && ' Its sync that is under way is cancelled, here and at Airbyte.'}
      </p>
    </FormDialog>
  );
}

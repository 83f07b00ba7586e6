// Changing a connector, and removing it.
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { ConnectorFields } from './connector-fields.tsx';
import { hoursOf, secondsOf } from './connector-interval.ts';
import { type Connector, connectorsQuery } from './list-connectors.ts';

interface Props {
  readonly connector: Connector;
  readonly onClose: () => void;
}

export function ChangeConnector({ connector, onClose }: Props): ReactNode {
  const hours = hoursOf(connector.interval_seconds);
  const [words, setWords] = useState({ name: connector.name, account: connector.external_account_id, hours });
  const body = {
    name: words.name,
    external_account_id: words.account,
    ...(words.hours === hours ? {} : { interval_seconds: secondsOf(words.hours) }),
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
      <ConnectorFields words={words} onChange={setWords} />
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
        Millrace stops syncing it and deletes its credential. Its data and the history of its syncs stay.
        {connector.live_job && ' Millrace cancels its running sync, here and at Airbyte.'}
      </p>
    </FormDialog>
  );
}

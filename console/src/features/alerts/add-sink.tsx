import { type ReactNode, useState } from 'react';
import {
  type AlertSeverity,
  type AlertSinkKind,
  alertSeverities,
  alertSinkKinds,
} from '../../../../src/contract/api/alert-metrics.ts';
import { call } from '../../app/api.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { alertSinksQuery } from './list-alerts.ts';

const kinds: Record<AlertSinkKind, string> = {
  discord: 'Discord',
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  webhook: 'an address that accepts JSON',
};

export function AddSink({ onClose }: { onClose: () => void }): ReactNode {
  const [kind, setKind] = useState<AlertSinkKind>('slack');
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [severity, setSeverity] = useState<AlertSeverity>('WARNING');
  const send = () => {
    const common = { name, min_severity: severity };
    const body = kind === 'pagerduty' ? { kind, routing_key: secret, ...common } : { kind, url: secret, ...common };
    return call('alert-sinks.create', { body });
  };
  return (
    <FormDialog
      title="Add a sink"
      submit="Add the sink"
      send={send}
      refresh={alertSinksQuery.queryKey}
      onClose={onClose}
    >
      <Choice
        label="Send to"
        value={kind}
        options={alertSinkKinds.map((each) => [each, kinds[each]] as const)}
        onChoose={(value) => setKind(alertSinkKinds.find((each) => each === value) ?? 'slack')}
      />
      <Field label="Name" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <Field
        label={kind === 'pagerduty' ? 'Integration key' : 'Address'}
        type={kind === 'pagerduty' ? 'password' : 'url'}
        autoComplete="off"
        required
        maxLength={2000}
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
        hint="Millrace encrypts it and never shows it again."
      />
      <Choice
        label="From this severity on"
        value={severity}
        options={alertSeverities.map((each) => [each, each.toLowerCase()] as const)}
        onChoose={(value) => setSeverity(alertSeverities.find((each) => each === value) ?? 'WARNING')}
      />
    </FormDialog>
  );
}

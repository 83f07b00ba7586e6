import { type ReactNode, useState } from 'react';
import {
  type AlertComparison,
  type AlertEvent,
  type AlertMetric,
  type AlertSeverity,
  alertComparisons,
  alertEvents,
  alertMetrics,
  alertSeverities,
} from '../../../../src/contract/api/alert-metrics.ts';
import { call } from '../../app/api.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { alertRulesQuery } from './list-alerts.ts';

const watched: readonly (readonly [string, string])[] = [
  ...Object.entries(alertMetrics).map(([name, { label, unit }]) => [`metric:${name}`, `${label} (${unit})`] as const),
  ...Object.entries(alertEvents).map(([name, words]) => [`event:${name}`, words] as const),
];

/** A rule of this tenant: a figure with a threshold, or an event. */
export function AddRule({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [what, setWhat] = useState('metric:failed_runs');
  const [comparison, setComparison] = useState<AlertComparison>('>');
  const [limit, setLimit] = useState('0');
  const [severity, setSeverity] = useState<AlertSeverity>('WARNING');
  const isMetric = what.startsWith('metric:');
  const subject = what.slice(what.indexOf(':') + 1);
  const send = () => {
    const threshold = { metric: subject as AlertMetric, comparison, threshold: Number(limit) };
    return call('alert-rules.create', {
      body: isMetric
        ? { kind: 'threshold', name, severity, ...threshold }
        : { kind: 'event', name, severity, event: subject as AlertEvent },
    });
  };
  return (
    <FormDialog
      title="Add a rule"
      submit="Add the rule"
      send={send}
      refresh={alertRulesQuery.queryKey}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        pattern="[a-z][a-z0-9_]{0,59}"
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="Small letters, digits and _"
      />
      <Choice label="It watches" value={what} options={watched} onChoose={setWhat} />
      {isMetric && (
        <div className="flex flex-wrap gap-3">
          <Choice
            label="Opens when it is"
            value={comparison}
            options={alertComparisons.map((each) => [each, each] as const)}
            onChoose={(value) => setComparison(alertComparisons.find((each) => each === value) ?? '>')}
          />
          <Field
            label="Threshold"
            type="number"
            step="any"
            required
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
            className="w-32"
          />
        </div>
      )}
      <Choice
        label="Severity"
        value={severity}
        options={alertSeverities.map((each) => [each, each.toLowerCase()] as const)}
        onChoose={(value) => setSeverity(alertSeverities.find((each) => each === value) ?? 'WARNING')}
      />
    </FormDialog>
  );
}

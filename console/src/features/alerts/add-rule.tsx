import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
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
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { alertRulesQuery } from './list-alerts.ts';

const watched: readonly (readonly [string, string])[] = [
  ...Object.entries(alertMetrics).map(([name, { label, unit }]) => [`metric:${name}`, `${label} (${unit})`] as const),
  ...Object.entries(alertEvents).map(([name, words]) => [`event:${name}`, words] as const),
];

/** A rule of this tenant: a figure with a threshold, or an event. */
export function AddRule({ onClose }: { onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [what, setWhat] = useState('metric:failed_runs');
  const [comparison, setComparison] = useState<AlertComparison>('>');
  const [threshold, setThreshold] = useState('0');
  const [severity, setSeverity] = useState<AlertSeverity>('WARNING');
  const isMetric = what.startsWith('metric:');
  const subject = what.slice(what.indexOf(':') + 1);
  const add = useMutation({
    mutationFn: () =>
      call('alert-rules.create', {
        body: isMetric
          ? {
              kind: 'threshold',
              name,
              metric: subject as AlertMetric,
              comparison,
              threshold: Number(threshold),
              severity,
            }
          : { kind: 'event', name, event: subject as AlertEvent, severity },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: alertRulesQuery.queryKey });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Modal title="Add a rule" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
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
              value={threshold}
              onChange={(event) => setThreshold(event.target.value)}
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
        {add.isError && <ProblemNote error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" look="main" busy={add.isPending}>
            Add the rule
          </Button>
        </div>
      </form>
    </Modal>
  );
}

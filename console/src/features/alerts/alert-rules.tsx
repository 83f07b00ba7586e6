import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { alertMetrics } from '../../../../src/contract/api/alert-metrics.ts';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { duration } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { actions, Cell, Row, Table } from '../../ui/table.tsx';
import { AddRule } from './add-rule.tsx';
import { type AlertRule, alertRulesQuery } from './list-alerts.ts';
import { Severity } from './severity.tsx';

/** What is watched. Rules of the installation can be changed for this tenant, and set back. */
export function AlertRules(): ReactNode {
  const rules = useQuery(alertRulesQuery);
  const isAdmin = useIs('admin');
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      title="Rules"
      aside={
        isAdmin && (
          <Button small onClick={() => setAdding(true)}>
            Add a rule
          </Button>
        )
      }
    >
      {rules.isPending && <LoadingLines lines={4} />}
      {rules.isError && <ProblemNote error={rules.error} onRetry={() => void rules.refetch()} />}
      {rules.data && (
        <Table label="Rules" head={['Rule', 'Opens when', 'Severity', 'State', actions]}>
          {rules.data.data.map((rule) => (
            <RuleRow key={rule.name} rule={rule} mayChange={isAdmin} />
          ))}
        </Table>
      )}
      {adding && <AddRule onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function RuleRow({ rule, mayChange }: { rule: AlertRule; mayChange: boolean }): ReactNode {
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['operate'] });
  const params = { rule: rule.name };
  const update = useMutation({
    mutationFn: (body: { enabled?: boolean; threshold?: number }) => call('alert-rules.update', { params, body }),
    onSuccess,
  });
  const remove = useMutation({ mutationFn: () => call('alert-rules.remove', { params }), onSuccess });
  const fault = update.error ?? remove.error;
  return (
    <Row className={rule.enabled ? '' : 'text-ink-3'}>
      <Cell>
        <code className="figures text-xs">{rule.name}</code>
        {rule.description && <p className="max-w-80 text-xs text-ink-2">{inertText(rule.description)}</p>}
        {fault && <ProblemNote error={fault} />}
      </Cell>
      <Cell className="min-w-56 text-xs">
        {rule.metric ? (
          <>
            {alertMetrics[rule.metric].label.toLowerCase()} {rule.comparison}{' '}
            {mayChange ? (
              <Threshold rule={rule} onChange={(threshold) => update.mutate({ threshold })} />
            ) : (
              <span className="figures">{rule.threshold}</span>
            )}{' '}
            {alertMetrics[rule.metric].unit}
            {rule.window_minutes !== null && ` in ${duration(rule.window_minutes * 60_000)}`}
          </>
        ) : (
          rule.event?.replaceAll('_', ' ')
        )}
        {rule.pipeline && ` · ${rule.pipeline}`}
      </Cell>
      <Cell>
        <Severity severity={rule.severity} />
      </Cell>
      <Cell className="text-xs whitespace-nowrap">
        {!rule.enabled ? (
          'off'
        ) : rule.open_alerts > 0 ? (
          <span className="text-bad">▲ {rule.open_alerts} open</span>
        ) : (
          'quiet'
        )}
        {rule.origin === 'changed' && <span className="text-ink-2"> · changed here</span>}
        {rule.origin === 'own' && <span className="text-ink-2"> · your own</span>}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {mayChange && (
          <Button small look="quiet" busy={update.isPending} onClick={() => update.mutate({ enabled: !rule.enabled })}>
            {rule.enabled ? 'Switch off' : 'Switch on'}
          </Button>
        )}
        {mayChange && rule.origin !== 'default' && (
          <Button small look="quiet" busy={remove.isPending} onClick={() => remove.mutate()}>
            {rule.origin === 'own' ? 'Remove' : 'Reset to default'}
          </Button>
        )}
      </Cell>
    </Row>
  );
}

/** A threshold that is changed where it stands; leaving the field or Enter saves it. */
function Threshold({ rule, onChange }: { rule: AlertRule; onChange: (threshold: number) => void }): ReactNode {
  const save = (text: string) => {
    const value = Number(text);
    if (text !== '' && Number.isFinite(value) && value !== rule.threshold) onChange(value);
  };
  return (
    <input
      key={rule.threshold}
      aria-label={`Threshold of ${rule.name}`}
      type="number"
      step="any"
      defaultValue={rule.threshold ?? ''}
      onBlur={(event) => save(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && save(event.currentTarget.value)}
      className="control figures min-h-6! w-20 text-xs!"
    />
  );
}

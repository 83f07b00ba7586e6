// The sinks of alerts: Discord, Slack, PagerDuty or a plain webhook. The console never shows an address again after it was saved.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { actions, Cell, Row, right, Table } from '../../ui/table.tsx';
import { AddSink } from './add-sink.tsx';
import { type AlertSink, alertSinksQuery, sinkSendsQuery } from './list-alerts.ts';

export function AlertSinks(): ReactNode {
  const sinks = useQuery(alertSinksQuery);
  const isAdmin = useIs('admin');
  const [adding, setAdding] = useState(false);
  return (
    <Panel
      title="Receivers"
      aside={
        isAdmin && (
          <Button small onClick={() => setAdding(true)}>
            Add a sink
          </Button>
        )
      }
    >
      {sinks.isPending && <LoadingLines lines={3} />}
      {sinks.isError && <ProblemNote error={sinks.error} onRetry={() => void sinks.refetch()} />}
      {sinks.data?.data.length === 0 && (
        <EmptyState title="Alerts stay on this page">
          A sink sends alerts to Discord, Slack, PagerDuty or any address that accepts JSON.
        </EmptyState>
      )}
      {sinks.data && sinks.data.data.length > 0 && (
        <Table label="Sinks" head={['Name', 'Sends to', 'From', 'State', right('Waiting'), actions]}>
          {sinks.data.data.map((sink) => (
            <SinkRow key={sink.sink_id} sink={sink} mayChange={isAdmin} />
          ))}
        </Table>
      )}
      {adding && <AddSink onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function SinkRow({ sink, mayChange }: { sink: AlertSink; mayChange: boolean }): ReactNode {
  const queries = useQueryClient();
  const [log, setLog] = useState(false);
  const [removing, setRemoving] = useState(false);
  const params = { sink_id: sink.sink_id };
  const onSuccess = () => queries.invalidateQueries({ queryKey: alertSinksQuery.queryKey });
  const toggle = useMutation({
    mutationFn: () => call('alert-sinks.update', { params, body: { enabled: !sink.enabled } }),
    onSuccess,
  });
  const test = useMutation({ mutationFn: () => call('alert-sinks.test', { params }), onSuccess });
  const remove = useMutation({ mutationFn: () => call('alert-sinks.remove', { params }), onSuccess });
  const fault = toggle.error ?? test.error ?? remove.error;
  return (
    <Row>
      <Cell className="font-medium">
        {inertText(sink.name)}
        {fault && <ProblemNote error={fault} />}
      </Cell>
      <Cell className="text-xs">
        {sink.kind} <span className="figures text-ink-2">{inertText(sink.host)}</span>
      </Cell>
      <Cell className="text-xs">{sink.min_severity.toLowerCase()}</Cell>
      <Cell className="text-xs">
        <SinkState sink={sink} />
      </Cell>
      <Cell className="figures text-right">{sink.waiting}</Cell>
      <Cell className="text-right whitespace-nowrap">
        <Button small look="quiet" onClick={() => setLog(true)}>
          Log
        </Button>
        {mayChange && (
          <>
            <Button small look="quiet" busy={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
            <Button small look="quiet" busy={toggle.isPending} onClick={() => toggle.mutate()}>
              {sink.enabled ? 'Switch off' : 'Switch on'}
            </Button>
            <Button small look="quiet" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </>
        )}
        {log && <SendLog sink={sink} onClose={() => setLog(false)} />}
        {test.data && (
          <Modal
            title={test.data.ok ? 'The message arrived' : 'The message did not arrive'}
            onClose={() => test.reset()}
          >
            <p className="text-left whitespace-normal">
              {test.data.ok ? '✓' : '✕'} {test.data.message}
            </p>
          </Modal>
        )}
        {removing && (
          <Modal title={`Remove ${inertText(sink.name)}?`} onClose={() => setRemoving(false)}>
            <p className="text-left whitespace-normal">
              {plural(sink.waiting, 'message')} that it has still to get will not be sent.
            </p>
            <div className="mt-4 flex justify-end gap-2">
              <Button onClick={() => setRemoving(false)}>Cancel</Button>
              <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
                Remove
              </Button>
            </div>
          </Modal>
        )}
      </Cell>
    </Row>
  );
}

function SinkState({ sink }: { sink: AlertSink }): ReactNode {
  if (!sink.enabled) return <span className="text-ink-2">○ off</span>;
  if (sink.consecutive_failures > 0)
    return (
      <span className="text-bad">
        ✕ {plural(sink.consecutive_failures, 'failure')} in a row, last <Moment at={sink.last_error_at} />{' '}
        <code className="figures">{sink.last_error_code}</code>
      </span>
    );
  if (sink.last_ok_at === null) return <span className="text-ink-2">○ nothing sent yet</span>;
  return (
    <span className="text-good">
      ✓ sent <Moment at={sink.last_ok_at} />
    </span>
  );
}

function SendLog({ sink, onClose }: { sink: AlertSink; onClose: () => void }): ReactNode {
  const sends = useQuery(sinkSendsQuery(sink.sink_id));
  return (
    <Modal title={`Sent to ${inertText(sink.name)}`} side onClose={onClose}>
      <div className="text-left whitespace-normal">
        {sends.isPending && <LoadingLines lines={5} />}
        {sends.isError && <ProblemNote error={sends.error} onRetry={() => void sends.refetch()} />}
        {sends.data?.data.length === 0 && <EmptyState title="Millrace has sent nothing yet" />}
        {sends.data && (
          <ul className="flex flex-col divide-y divide-line">
            {sends.data.data.map((send) => (
              <li key={send.send_id} className="flex flex-wrap justify-between gap-x-3 py-2 text-sm">
                <span>
                  {send.status === 'sent' ? '✓' : send.status === 'waiting' ? '◔' : '✕'} {send.what}, {send.status}
                </span>
                <span className="figures text-xs text-ink-2">
                  {send.http_status ?? ''} {send.error_code ?? ''} · {plural(send.attempts, 'try', 'tries')} ·{' '}
                  <Moment at={send.sent_at ?? send.created_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Modal>
  );
}

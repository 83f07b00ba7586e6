// The deliveries of an endpoint, newest first; one opens to its payload and every try.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { actions, Cell, Row, right, Table } from '../../ui/table.tsx';
import { type Delivery, deliveriesQuery, deliveryQuery } from './list-webhooks.ts';

const marks: Record<Delivery['status'], { mark: string; look: string }> = {
  waiting: { mark: '◔', look: 'text-ink-2' },
  sending: { mark: '▶', look: 'text-water-strong' },
  delivered: { mark: '✓', look: 'text-good' },
  failed: { mark: '✕', look: 'text-bad' },
};

interface Props {
  readonly endpointId: string;
  readonly status: string | undefined;
  readonly mayResend: boolean;
}

export function DeliveryLog({ endpointId, status, mayResend }: Props): ReactNode {
  const pages = useInfiniteQuery(deliveriesQuery(endpointId, status));
  const [open, setOpen] = useState<string>();
  if (pages.isPending) return <LoadingLines lines={5} label="Loading the log" />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const deliveries = pages.data.pages.flatMap((page) => page.data);
  if (deliveries.length === 0)
    return (
      <EmptyState title={status ? `No delivery is ${status}` : 'Millrace has sent nothing yet'}>
        {!status && 'Events from now on appear here. A test can be sent at any time.'}
      </EmptyState>
    );
  return (
    <>
      <Table label="Deliveries" head={['State', 'Event', 'Run', 'When', right('Tries'), 'Answer', actions]}>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.delivery_id}
            delivery={delivery}
            mayResend={mayResend}
            onOpen={() => setOpen(delivery.delivery_id)}
          />
        ))}
      </Table>
      <ShowMore pages={pages} />
      {open && <DeliveryDrawer endpointId={endpointId} deliveryId={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function DeliveryRow({
  delivery,
  mayResend,
  onOpen,
}: {
  delivery: Delivery;
  mayResend: boolean;
  onOpen: () => void;
}): ReactNode {
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: () =>
      call('deliveries.resend', {
        params: { endpoint_id: delivery.endpoint_id, delivery_id: delivery.delivery_id },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operate', 'webhooks'] }),
  });
  const mark = marks[delivery.status];
  return (
    <Row>
      <Cell className={`text-xs font-medium whitespace-nowrap ${mark.look}`}>
        <span aria-hidden="true">{mark.mark}</span> {delivery.status}
      </Cell>
      <Cell className="figures text-xs">
        {delivery.event_type}
        {resend.isError && <ProblemNote error={resend.error} />}
      </Cell>
      <Cell>
        {delivery.run_id === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <Link to="/r/$runId" params={{ runId: delivery.run_id }} className="link figures text-xs">
            …{delivery.run_id.slice(-8)}
          </Link>
        )}
      </Cell>
      <Cell className="text-xs">
        <Moment at={delivery.last_attempt_at ?? delivery.created_at} />
        {delivery.next_at && (
          <span className="text-ink-2">
            , again <Moment at={delivery.next_at} />
          </span>
        )}
      </Cell>
      <Cell className="figures text-right">{count(delivery.attempts)}</Cell>
      <Cell className="figures text-xs">
        {delivery.http_status ?? (delivery.attempts === 0 ? '–' : 'none')}
        {delivery.error_code && <span className="text-ink-2"> {delivery.error_code}</span>}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        <Button small look="quiet" onClick={onOpen}>
          Look
        </Button>
        {mayResend && (
          <Button small icon="replay" busy={resend.isPending} onClick={() => resend.mutate()}>
            Resend
          </Button>
        )}
      </Cell>
    </Row>
  );
}

function DeliveryDrawer({
  endpointId,
  deliveryId,
  onClose,
}: {
  endpointId: string;
  deliveryId: string;
  onClose: () => void;
}): ReactNode {
  const delivery = useQuery(deliveryQuery(endpointId, deliveryId));
  return (
    <Modal title="Delivery" side onClose={onClose}>
      {delivery.isPending && <LoadingLines lines={6} />}
      {delivery.isError && <ProblemNote error={delivery.error} onRetry={() => void delivery.refetch()} />}
      {delivery.data && (
        <div className="flex flex-col gap-4 text-sm">
          <p>
            <code className="figures text-xs wrap-anywhere">webhook-id: {delivery.data.webhook_id}</code>
          </p>
          <section aria-label="Tries" className="flex flex-col gap-2">
            <h3>Tries</h3>
            {delivery.data.tries.length === 0 && <p className="text-ink-2">Millrace has not tried it yet.</p>}
            {delivery.data.tries.map((each) => (
              <div key={each.attempt} className="rounded-md border border-line px-3 py-2 text-xs">
                <p className="flex flex-wrap justify-between gap-2">
                  <span>
                    {each.attempt} · <Moment at={each.started_at} as="clock" />
                  </span>
                  <span className="figures">
                    {each.http_status ?? 'no answer'}
                    {each.ms !== null && ` in ${count(each.ms)} ms`}
                    {each.error_code && ` · ${each.error_code}`}
                  </span>
                </p>
                {each.response_excerpt && (
                  <pre className="figures mt-1 wrap-anywhere whitespace-pre-wrap text-ink-2">
                    {inertText(each.response_excerpt)}
                  </pre>
                )}
              </div>
            ))}
          </section>
          <section aria-label="Body" className="flex flex-col gap-2">
            <h3>Body</h3>
            <pre className="figures rounded-md bg-sunken p-3 text-xs wrap-anywhere whitespace-pre-wrap">
              {inertText(delivery.data.payload)}
            </pre>
          </section>
        </div>
      )}
    </Modal>
  );
}

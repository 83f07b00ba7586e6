// Endpoints that are told about events. A secret is shown once, when it is made.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { defaultWebhookEvents } from '../../../../src/contract/api/webhook-events.ts';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { ShownOnce } from '../operate/shown-once.tsx';
import { EventChoice } from './event-choice.tsx';
import { type Webhook, webhooksQuery } from './list-webhooks.ts';
import { WebhookState } from './webhook-state.tsx';

export function WebhooksPage(): ReactNode {
  const webhooks = useQuery(webhooksQuery);
  const isAdmin = useIs('admin');
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  if (webhooks.isPending) return <LoadingLines lines={5} />;
  if (webhooks.isError) return <ProblemNote error={webhooks.error} onRetry={() => void webhooks.refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {secret && <ShownOnce what="The secret that signs this endpoint’s messages" secret={secret} />}
      <Panel
        title="Webhooks"
        aside={
          isAdmin && (
            <Button small icon="plus" onClick={() => setAdding(true)}>
              Add an endpoint
            </Button>
          )
        }
      >
        {webhooks.data.data.length === 0 ? (
          <EmptyState title="No webhooks yet">
            Millrace sends events to an endpoint as signed HTTP messages, retries each one until it arrives, and logs
            every try.
          </EmptyState>
        ) : (
          <Table label="Webhooks" head={['Address', 'Events', 'State', right('Waiting'), right('To recover')]}>
            {webhooks.data.data.map((webhook) => (
              <WebhookRow key={webhook.endpoint_id} webhook={webhook} />
            ))}
          </Table>
        )}
      </Panel>
      {adding && (
        <AddWebhook
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setSecret(made);
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }): ReactNode {
  return (
    <Row>
      <Cell className="max-w-96">
        <Link
          to="/operate/webhooks/$endpointId"
          params={{ endpointId: webhook.endpoint_id }}
          search={{}}
          className="link figures block truncate text-xs"
        >
          {inertText(webhook.url)}
        </Link>
        {webhook.description && <p className="truncate text-xs text-ink-2">{inertText(webhook.description)}</p>}
      </Cell>
      <Cell className="figures max-w-56 truncate text-xs text-ink-2">{webhook.event_types.join(' ')}</Cell>
      <Cell className="text-xs">
        <WebhookState webhook={webhook} />
      </Cell>
      <Cell className="figures text-right">{count(webhook.waiting)}</Cell>
      <Cell className={`figures text-right ${webhook.failed > 0 ? 'text-bad' : ''}`}>
        {webhook.failed >= 1_000 ? '1,000+' : count(webhook.failed)}
      </Cell>
    </Row>
  );
}

function AddWebhook({ onClose, onAdded }: { onClose: () => void; onAdded: (secret: string) => void }): ReactNode {
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly string[]>(defaultWebhookEvents);
  const add = useMutation({
    mutationFn: () => call('webhooks.create', { body: { url, description, event_types: [...events] } }),
    onSuccess: async ({ secret }) => {
      await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      onAdded(secret);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Modal title="Add an endpoint" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="Address"
          type="url"
          required
          maxLength={2048}
          placeholder="https://"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          hint="At a public address; without user name and password."
        />
        <Field
          label="What it is for"
          maxLength={300}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <EventChoice chosen={events} onChoose={setEvents} />
        {add.isError && <ProblemNote error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={add.isPending} disabled={events.length === 0}>
            Add and show the secret
          </Button>
        </div>
      </form>
    </Modal>
  );
}

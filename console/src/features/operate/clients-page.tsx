// Clients: labels of the customers that numbers belong to. They grant no access and restrict none.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { actions, Cell, Row, Table } from '../../ui/table.tsx';
import { clientsQuery } from './list-clients.ts';

type Client = AnswerOf<'clients.list'>['data'][number];

export function ClientsPage(): ReactNode {
  const { role } = useMe();
  const clients = useQuery(clientsQuery);
  if (clients.isPending) return <LoadingLines lines={5} />;
  if (clients.isError) return <ProblemNote error={clients.error} onRetry={() => void clients.refetch()} />;
  const all = clients.data.data;
  return (
    <div className="flex flex-col gap-4">
      {role === 'admin' && (
        <Panel title="Add a client">
          <AddClient />
        </Panel>
      )}
      <Panel title="Clients" aside={count(all.length)}>
        {all.length === 0 ? (
          <EmptyState title="No clients yet">
            A client is the customer that the numbers of a file belong to. An upload can name one; without it the
            numbers are your own.
          </EmptyState>
        ) : (
          <Table label="Clients" head={['Name', 'Added', actions]}>
            {all.map((client) => (
              <ClientRow key={client.client_id} client={client} mayChange={role === 'admin'} />
            ))}
          </Table>
        )}
      </Panel>
    </div>
  );
}

function AddClient(): ReactNode {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: () => call('clients.create', { body: { name } }),
    onSuccess: async () => {
      setName('');
      await queries.invalidateQueries({ queryKey: clientsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3 px-4 py-3">
      <Field
        label="Name of the client"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        className="w-72"
      />
      <Button type="submit" look="main" className="min-h-9" busy={add.isPending}>
        Add
      </Button>
      {add.isError && <ProblemNote error={add.error} />}
    </form>
  );
}

function ClientRow({ client, mayChange }: { client: Client; mayChange: boolean }): ReactNode {
  const queries = useQueryClient();
  const [name, setName] = useState<string>();
  const params = { client_id: client.client_id };
  const onSuccess = async () => {
    setName(undefined);
    await queries.invalidateQueries({ queryKey: clientsQuery.queryKey });
  };
  const rename = useMutation({
    mutationFn: (next: string) => call('clients.update', { params, body: { name: next } }),
    onSuccess,
  });
  const remove = useMutation({ mutationFn: () => call('clients.remove', { params }), onSuccess });
  const fault = rename.error ?? remove.error;
  return (
    <Row>
      <Cell className="font-medium">
        {name === undefined ? (
          <Link to="/data" search={{ client_id: client.client_id }} className="link">
            {inertText(client.name)}
          </Link>
        ) : (
          <form
            className="flex gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              rename.mutate(name);
            }}
          >
            <input
              aria-label={`New name of ${client.name}`}
              className="control"
              value={name}
              maxLength={200}
              required
              onChange={(event) => setName(event.target.value)}
            />
            <Button type="submit" small look="main" busy={rename.isPending}>
              Save
            </Button>
            <Button small onClick={() => setName(undefined)}>
              Cancel
            </Button>
          </form>
        )}
        {fault && <ProblemNote error={fault} />}
      </Cell>
      <Cell>
        <Moment at={client.created_at} />
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {mayChange && name === undefined && (
          <>
            <Button small look="quiet" onClick={() => setName(client.name)}>
              Rename
            </Button>
            <Button small look="quiet" busy={remove.isPending} onClick={() => remove.mutate()}>
              Remove
            </Button>
          </>
        )}
      </Cell>
    </Row>
  );
}

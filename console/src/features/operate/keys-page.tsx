import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { type Scope, scopes } from '../../../../src/contract/api/roles.ts';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { keysQuery } from './list-keys.ts';
import { ShownOnce } from './shown-once.tsx';

type Key = AnswerOf<'api-keys.list'>['data'][number];
const scopeNames = Object.keys(scopes) as Scope[];

export function KeysPage(): ReactNode {
  const keys = useQuery(keysQuery);
  const [made, setMade] = useState<string>();
  if (keys.isPending) return <LoadingLines lines={5} />;
  if (keys.isError) return <ProblemNote error={keys.error} onRetry={() => void keys.refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {made && <ShownOnce what="The key" secret={made} />}
      <Panel title="Make a key">
        <MakeKey onMade={setMade} />
      </Panel>
      <Panel title="API keys">
        {keys.data.data.length === 0 ? (
          <EmptyState title="No keys yet">
            Programs use keys instead of passwords, each limited to what it needs.
          </EmptyState>
        ) : (
          <Table
            label="API keys"
            head={[
              'Name',
              'May',
              'Made',
              'Last used',
              'State',
              <span key="act" className="sr-only">
                Actions
              </span>,
            ]}
          >
            {keys.data.data.map((key) => (
              <KeyRow key={key.key_id} apiKey={key} />
            ))}
          </Table>
        )}
      </Panel>
    </div>
  );
}

function MakeKey({ onMade }: { onMade: (secret: string) => void }): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(['uploads:write', 'runs:read']));
  const make = useMutation({
    mutationFn: () => call('api-keys.create', { body: { name, scopes: [...chosen] } }),
    onSuccess: async (key) => {
      onMade(key.key);
      setName('');
      await client.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const toggle = (scope: Scope) => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    setChosen(next);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 px-4 py-3">
      <Field
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="What program will use it?"
        className="max-w-sm"
      />
      <fieldset className="grid gap-1.5 sm:grid-cols-2 lg:grid-cols-3">
        <legend className="mb-1 text-xs font-medium text-ink-2">It may</legend>
        {scopeNames.map((scope) => (
          <label key={scope} className="flex items-center gap-2 text-sm">
            <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} />
            {scopes[scope]} <code className="figures text-xs text-ink-3">{scope}</code>
          </label>
        ))}
      </fieldset>
      {make.isError && <ProblemNote error={make.error} />}
      <Button type="submit" look="main" className="self-start" busy={make.isPending} disabled={chosen.size === 0}>
        Create the key
      </Button>
    </form>
  );
}

function KeyRow({ apiKey }: { apiKey: Key }): ReactNode {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => call('api-keys.revoke', { params: { key_id: apiKey.key_id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  return (
    <Row>
      <Cell className="font-medium">
        {apiKey.name}
        {revoke.isError && <ProblemNote error={revoke.error} />}
      </Cell>
      <Cell className="figures text-xs text-ink-2">{apiKey.scopes.join(' ')}</Cell>
      <Cell>
        <Moment at={apiKey.created_at} />
      </Cell>
      <Cell>
        <Moment at={apiKey.last_used_at} />
      </Cell>
      <Cell>
        {apiKey.revoked_at ? <span className="text-bad">✕ revoked</span> : <span className="text-good">✓ active</span>}
      </Cell>
      <Cell className="text-right">
        {!apiKey.revoked_at && (
          <Button small look="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        )}
      </Cell>
    </Row>
  );
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { roles } from '../../../../src/contract/api/roles.ts';
import { call } from '../../app/api.ts';
import { useMe } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { count } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { usersQuery } from './list-users.ts';
import { ShownOnce } from './shown-once.tsx';

type User = AnswerOf<'users.list'>['data'][number];
const people = roles.filter((role) => role !== 'service');
type PersonRole = (typeof people)[number];

export function PeoplePage(): ReactNode {
  const users = useQuery(usersQuery);
  const [password, setPassword] = useState<{ email: string; secret: string }>();
  if (users.isPending) return <LoadingLines lines={5} />;
  if (users.isError) return <ProblemNote error={users.error} onRetry={() => void users.refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {password && <ShownOnce what={`The one-time password of ${password.email}`} secret={password.secret} />}
      <Panel title="Add a person">
        <AddPerson onAdded={(email, secret) => setPassword({ email, secret })} />
      </Panel>
      <Panel title="People" aside={count(users.data.data.length)}>
        <Table
          label="People"
          head={[
            'Email',
            'Name',
            'Role',
            'Last sign-in',
            'State',
            <span key="act" className="sr-only">
              Actions
            </span>,
          ]}
        >
          {users.data.data.map((user) => (
            <PersonRow
              key={user.user_id}
              user={user}
              onPassword={(secret) => setPassword({ email: user.email, secret })}
            />
          ))}
        </Table>
      </Panel>
    </div>
  );
}

function AddPerson({ onAdded }: { onAdded: (email: string, secret: string) => void }): ReactNode {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<PersonRole>('user');
  const add = useMutation({
    mutationFn: () => call('users.create', { body: { email, role } }),
    onSuccess: async (user) => {
      onAdded(user.email, user.one_time_password);
      setEmail('');
      await client.invalidateQueries({ queryKey: usersQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3 px-4 py-3">
      <Field
        label="Email"
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        className="w-72"
      />
      <RoleChoice label="Role" value={role} onChoose={setRole} />
      <Button type="submit" look="main" className="min-h-9" busy={add.isPending}>
        Add
      </Button>
      {add.isError && <ProblemNote error={add.error} />}
    </form>
  );
}

function PersonRow({ user, onPassword }: { user: User; onPassword: (secret: string) => void }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const params = { user_id: user.user_id };
  const onSuccess = () => client.invalidateQueries({ queryKey: usersQuery.queryKey });
  const update = useMutation({
    mutationFn: (body: { role?: PersonRole; disabled?: boolean }) => call('users.update', { params, body }),
    onSuccess,
  });
  const reset = useMutation({
    mutationFn: () => call('users.reset', { params }),
    onSuccess: (answer) => onPassword(answer.one_time_password),
  });
  const self = me.user_id === user.user_id;
  const fault = update.error ?? reset.error;
  return (
    <Row>
      <Cell className="font-medium">
        {user.email}
        {self && <span className="font-normal text-ink-3"> (you)</span>}
        {fault && <ProblemNote error={fault} />}
      </Cell>
      <Cell>{user.name ?? '–'}</Cell>
      <Cell>
        <RoleChoice
          label={`Role of ${user.email}`}
          hidden
          value={people.find((role) => role === user.role) ?? 'user'}
          onChoose={(role) => update.mutate({ role })}
        />
      </Cell>
      <Cell>
        <Moment at={user.last_login_at} />
      </Cell>
      <Cell className="text-xs">
        {user.disabled_at ? (
          <span className="text-bad">✕ disabled</span>
        ) : user.must_change_password ? (
          'one-time password'
        ) : (
          <span className="text-good">✓ active</span>
        )}
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        <Button small look="quiet" busy={reset.isPending} onClick={() => reset.mutate()}>
          New password
        </Button>
        {!self && (
          <Button
            small
            look="quiet"
            busy={update.isPending}
            onClick={() => update.mutate({ disabled: user.disabled_at === null })}
          >
            {user.disabled_at ? 'Enable' : 'Disable'}
          </Button>
        )}
      </Cell>
    </Row>
  );
}

function RoleChoice({
  label,
  hidden = false,
  value,
  onChoose,
}: {
  label: string;
  hidden?: boolean;
  value: PersonRole;
  onChoose: (role: PersonRole) => void;
}): ReactNode {
  return (
    <label className="flex flex-col gap-1 text-xs font-medium text-ink-2">
      <span className={hidden ? 'sr-only' : ''}>{label}</span>
      <select
        value={value}
        onChange={(event) => onChoose(people.find((role) => role === event.target.value) ?? 'user')}
        className={`control ${hidden ? 'min-h-7!' : 'min-h-9'}`}
      >
        {people.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
    </label>
  );
}

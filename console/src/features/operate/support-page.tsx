// The support people who may reach this tenant. An admin grants access for a time and a reason, and may end it earlier; the audit log has every use.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { actions, Cell, Row, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { membershipsQuery } from './list-memberships.ts';

type Membership = AnswerOf<'memberships.list'>['data'][number];

const spans: readonly (readonly [string, string])[] = [
  ['4', '4 hours'],
  ['24', 'a day'],
  ['72', '3 days'],
  ['168', 'a week'],
];

export function SupportPage(): ReactNode {
  const memberships = useQuery(membershipsQuery);
  if (memberships.isPending) return <LoadingLines lines={5} />;
  if (memberships.isError) return <ProblemNote error={memberships.error} onRetry={() => void memberships.refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      <Panel title="Give support access">
        <Grant />
      </Panel>
      <Panel title="Support with access">
        {memberships.data.data.length === 0 ? (
          <EmptyState icon="check" title="Nobody from outside can see this tenant">
            Support sees only dead letters, and only after you allow a person here.
          </EmptyState>
        ) : (
          <Table label="Support with access" head={['Email', 'Reason', 'Since', 'Ends', 'State', actions]}>
            {memberships.data.data.map((membership) => (
              <MembershipRow key={membership.membership_id} membership={membership} />
            ))}
          </Table>
        )}
      </Panel>
    </div>
  );
}

function Grant(): ReactNode {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState('24');
  const grant = useMutation({
    mutationFn: () => call('memberships.create', { body: { email, reason, hours: Number(hours) } }),
    onSuccess: async () => {
      setEmail('');
      setReason('');
      await queries.invalidateQueries({ queryKey: membershipsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    grant.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3 px-4 py-3">
      <Field
        label="Email of the support person"
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        className="w-64"
      />
      <Field
        label="Reason"
        required
        minLength={3}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        className="w-72"
      />
      <Choice label="For" value={hours} options={spans} onChoose={setHours} />
      <Button type="submit" look="main" className="min-h-9" busy={grant.isPending}>
        Give access
      </Button>
      {grant.isError && <ProblemNote error={grant.error} />}
    </form>
  );
}

function MembershipRow({ membership }: { membership: Membership }): ReactNode {
  const queries = useQueryClient();
  const now = useNow();
  const revoke = useMutation({
    mutationFn: () => call('memberships.revoke', { params: { membership_id: membership.membership_id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: membershipsQuery.queryKey }),
  });
  const over = Date.parse(membership.expires_at) <= now;
  return (
    <Row>
      <Cell className="font-medium">
        {membership.email}
        {revoke.isError && <ProblemNote error={revoke.error} />}
      </Cell>
      <Cell className="max-w-72">{inertText(membership.reason)}</Cell>
      <Cell>
        <Moment at={membership.created_at} />
      </Cell>
      <Cell>
        <Moment at={membership.expires_at} />
      </Cell>
      <Cell className="text-xs">
        {membership.revoked_at ? (
          <span className="text-ink-2">✕ revoked</span>
        ) : over ? (
          <span className="text-ink-2">ended</span>
        ) : (
          <span className="text-good">✓ allowed</span>
        )}
      </Cell>
      <Cell className="text-right">
        {!membership.revoked_at && !over && (
          <Button small look="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke access
          </Button>
        )}
      </Cell>
    </Row>
  );
}

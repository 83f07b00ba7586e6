// Pairs of plaintiffs that may be one person. Nothing merges by itself on a name alone; a decision can be undone.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { type Review, reviewsQuery } from './list-reviews.ts';

const reasons: Record<Review['reason'], string> = {
  same_name: 'the same name',
  shared_phone: 'the same phone number',
  split: 'separated by a person',
};

export function MergeReview(): ReactNode {
  const reviews = useQuery(reviewsQuery);
  const [decided, setDecided] = useState<{ id: number; words: string }>();
  const decide = useDecide();
  const open = reviews.data?.data ?? [];
  if (open.length === 0 && !decided) return null;
  const act = (review: Review, decision: 'accept' | 'reject') =>
    decide.mutate(
      { id: review.id, decision },
      { onSuccess: () => setDecided({ id: review.id, words: decision === 'accept' ? 'merged' : 'kept apart' }) },
    );
  return (
    <Panel title="One person or two?" aside={`${count(open.length)} to decide`}>
      {decide.isError && <ProblemNote error={decide.error} />}
      {decided && (
        <p role="status" className="flex items-center gap-3 border-b border-line bg-good-soft px-4 py-2 text-sm">
          The two were {decided.words}.
          <Button
            small
            icon="undo"
            onClick={() =>
              decide.mutate({ id: decided.id, decision: 'undo' }, { onSuccess: () => setDecided(undefined) })
            }
          >
            Undo
          </Button>
        </p>
      )}
      <ul className="divide-y divide-line">
        {open.map((review) => (
          <li key={review.id} className="grid items-center gap-3 px-4 py-2.5 md:grid-cols-[1fr_auto_1fr_auto]">
            <Side person={review.plaintiff} />
            <span className="text-xs text-ink-3">{reasons[review.reason]}</span>
            <Side person={review.match} />
            <span className="flex gap-2">
              <Button small look="main" busy={decide.isPending} onClick={() => act(review, 'accept')}>
                One person
              </Button>
              <Button small busy={decide.isPending} onClick={() => act(review, 'reject')}>
                Two
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function useDecide() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, decision }: { id: number; decision: 'accept' | 'reject' | 'undo' }) =>
      call('plaintiff-reviews.decide', { params: { review_id: String(id) }, body: { decision } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['data'] }),
  });
}

function Side({ person }: { person: Review['match'] }): ReactNode {
  const facts = [person.email, person.phone, person.address].filter((fact) => fact !== null);
  return (
    <span className="min-w-0">
      <span className="block truncate font-medium">{inertText(person.name ?? `plaintiff ${person.id}`)}</span>
      <span className="block truncate text-xs text-ink-2">{inertText(facts.join(' · ') || 'nothing else known')}</span>
    </span>
  );
}

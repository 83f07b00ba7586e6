import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../../app/api.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { ProblemNote } from '../../../ui/states.tsx';
import { askedKey } from './asking.ts';

const pressed = 'aria-pressed:border-water aria-pressed:bg-water-soft aria-pressed:text-water-strong';

type Rating = 'up' | 'down' | 'none';

interface Props {
  readonly queryId: string;
  readonly rating: 'up' | 'down' | null;
  readonly note: string | null;
}

/** Thumbs: pressed again they are taken back. What was wrong can be said with a thumb down. */
export function Feedback({ queryId, rating, note }: Props): ReactNode {
  const queries = useQueryClient();
  const [words, setWords] = useState(note ?? '');
  const rate = useMutation({
    mutationFn: (body: { rating: Rating; note?: string }) =>
      call('queries.feedback', { params: { query_id: queryId }, body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: askedKey }),
  });
  const press = (wanted: 'up' | 'down') => rate.mutate({ rating: rating === wanted ? 'none' : wanted });
  const say = (event: FormEvent) => {
    event.preventDefault();
    rate.mutate({ rating: 'down', note: words });
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-xs text-ink-2">Did this help?</span>
        <Button small aria-pressed={rating === 'up'} className={pressed} onClick={() => press('up')}>
          <Icon name="thumb" /> Helpful
        </Button>
        <Button small aria-pressed={rating === 'down'} className={pressed} onClick={() => press('down')}>
          <Icon name="thumb" className="rotate-180" /> Not helpful
        </Button>
      </div>
      {rating === 'down' && (
        <form onSubmit={say} className="flex flex-wrap gap-2">
          <input
            aria-label="What was wrong"
            placeholder="what was wrong"
            maxLength={2_000}
            value={words}
            onChange={(event) => setWords(event.target.value)}
            className="control min-w-0 flex-1"
          />
          <Button small type="submit" busy={rate.isPending}>
            {note === null ? 'Send' : 'Change it'}
          </Button>
        </form>
      )}
      {rate.isError && <ProblemNote error={rate.error} />}
    </div>
  );
}

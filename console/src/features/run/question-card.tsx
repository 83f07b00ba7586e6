// The question that a run asks before it stores anything, at the top of its page: the doubts with their evidence, and a button per answer.
// Below an ended run: doubts that nobody has confirmed.
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call, type RunDetail } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { ProblemNote } from '../../ui/states.tsx';

type Question = NonNullable<RunDetail['question']>;

export function QuestionCard({ run }: { run: RunDetail }): ReactNode {
  // Stays when the question is gone: who answered later than somebody else must hear that the run does not do what they said.
  const [notTaken, setNotTaken] = useState<unknown>(null);
  return (
    <>
      {run.question === null && notTaken !== null && <ProblemNote error={notTaken} />}
      {run.question === null ? (
        <Doubts run={run} />
      ) : (
        <Asked runId={run.run_id} question={run.question} onNotTaken={setNotTaken} />
      )}
    </>
  );
}

/** Also where the run itself is not shown: `refresh` names what else is out of date once it is answered. */
export function Asked({
  runId,
  question,
  refresh,
  onNotTaken,
}: {
  runId: string;
  question: Question;
  refresh?: QueryKey;
  onNotTaken?: (error: unknown) => void;
}): ReactNode {
  const client = useQueryClient();
  const answer = useMutation({
    mutationFn: (choice: string) =>
      call('questions.answer', { params: { question_id: question.question_id }, body: { choice } }),
    onError: (error) => onNotTaken?.(error),
    onSuccess: () => onNotTaken?.(null),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['run', runId] });
      if (refresh !== undefined) await client.invalidateQueries({ queryKey: refresh });
    },
  });
  const isOfReading = question.doubts.length > 0;
  return (
    <section aria-label="Question" className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-4 py-3">
      <h2 className="font-medium">{isOfReading ? 'How should Millrace read this file?' : question.text}</h2>
      {isOfReading && (
        <ul className="flex flex-col gap-2 text-sm">
          {question.doubts.map((doubt) => (
            <li key={`${doubt.code} ${doubt.message}`}>
              {doubt.message}
              {doubt.evidence.against.length > 0 && (
                <span className="text-ink-2"> Against it: {doubt.evidence.against.join('; ')}.</span>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {question.choices.map(({ choice, label, refuses }, index) => (
          <Button
            key={choice}
            look={refuses ? 'danger' : index === 0 ? 'main' : 'plain'}
            busy={answer.isPending && answer.variables === choice}
            onClick={() => answer.mutate(choice)}
          >
            {label}
          </Button>
        ))}
      </div>
      <p className="text-xs text-ink-2">
        {isOfReading
          ? 'Millrace stores nothing before somebody answers.'
          : 'Millrace does nothing before somebody answers.'}{' '}
        Without an answer the run fails <Moment at={question.expires_at} />.
      </p>
      {answer.isError && <ProblemNote error={answer.error} />}
    </section>
  );
}

function Doubts({ run }: { run: RunDetail }): ReactNode {
  const doubts = Object.entries(run.receipt?.doubts ?? {});
  if (doubts.length === 0) return null;
  const total = doubts.reduce((sum, [, count]) => sum + count, 0);
  const told = run.receipt?.in_doubt ?? [];
  // Receipts that were written before doubts were kept in words have their codes only.
  const names = doubts.map(([code]) => code.replaceAll('_', ' ')).join(', ');
  return (
    <section
      aria-label="Doubts"
      className="flex flex-col gap-2 rounded-md border border-warn bg-warn-soft px-4 py-2 text-sm"
    >
      <p>
        {plural(total, 'doubt')} about this file{told.length === 0 ? `: ${names}. ` : '. '}
        <Link to="/r/$runId/reading" params={{ runId: run.run_id }} className="link">
          How it was read
        </Link>
      </p>
      {told.length > 0 && (
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {told.map(({ code, message, lines }) => (
            <li key={`${code} ${message}`}>
              {message}
              {lines.length > 0 && (
                <span className="text-ink-2">
                  {' '}
                  Look at {lines.length === 1 ? 'line' : 'lines'} {lines.join(', ')}.
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

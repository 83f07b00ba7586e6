// Ask: a question of the documents, its answer with the pages it was taken from, and the thread it stands in.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call, problemOf } from '../../../app/api.ts';
import { Button } from '../../../ui/button.tsx';
import { inertText } from '../../../ui/inert-text.ts';
import { Panel } from '../../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../../ui/states.tsx';
import { AnswerView } from './answer-view.tsx';
import { type FindSearch, filtersOf } from './ask-search.ts';
import { askedKey, conversationQuery, conversationsQuery, shownQuery } from './asking.ts';
import { Conversations } from './conversations.tsx';
import { FilterFields } from './filter-fields.tsx';

const route = getRouteApi('/shell/ask/');
const MAX_QUESTION = 10_000;

export function AskPage(): ReactNode {
  const { query, conversation, doc } = route.useSearch();
  const mine = useQuery(conversationsQuery);
  if (mine.isError && problemOf(mine.error).status === 403) return <ProblemNote error={mine.error} />;
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[1fr_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        {conversation !== undefined && <Thread conversationId={conversation} />}
        <AskForm key={`${conversation}:${doc}`} conversationId={conversation} doc={doc} />
        {query !== undefined && conversation === undefined && <Answered queryId={query} />}
        {query === undefined && conversation === undefined && (
          <EmptyState icon="search" title="Ask your documents">
            <p>
              An answer cites its pages. If your documents do not contain the answer, Millrace says so.{' '}
              <Link to="/ask/search" search={{}} className="link">
                Or search for words.
              </Link>
            </p>
          </EmptyState>
        )}
      </div>
      <Conversations current={conversation} />
    </div>
  );
}

interface FormProps {
  readonly conversationId: string | undefined;
  readonly doc: string | undefined;
}

function AskForm({ conversationId, doc }: FormProps): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [question, setQuestion] = useState('');
  const [filters, setFilters] = useState<FindSearch>(doc === undefined ? {} : { doc });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const ask = useMutation({
    mutationFn: (asked: string) =>
      call('search.ask', {
        body: {
          question: asked,
          filters: filtersOf(filters),
          ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
        },
      }),
    // Nothing is awaited: who sees the answer may ask on at once, and what was typed meanwhile stays.
    onSuccess: ({ query_id: query }, asked) => {
      setQuestion((typed) => (typed === asked ? '' : typed));
      void queries.invalidateQueries({ queryKey: askedKey });
      if (conversationId === undefined)
        void navigate({
          to: '/ask',
          search: { query, ...(filters.doc === undefined ? {} : { doc: filters.doc }) },
        });
    },
  });
  const submit = () => {
    if (question.trim() !== '' && !ask.isPending) ask.mutate(question);
  };
  return (
    <Panel
      title={conversationId === undefined ? 'Ask' : 'Ask a follow-up question'}
      aside="Enter asks, Shift+Enter breaks the line"
    >
      <form
        className="flex flex-col gap-2 px-4 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <textarea
          ref={field}
          aria-label="Your question"
          rows={2}
          maxLength={MAX_QUESTION}
          dir="auto"
          value={question}
          placeholder="How long are contracts kept?"
          onChange={(event) => setQuestion(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
          className="control w-full resize-y py-2"
        />
        <div className="flex flex-wrap items-end justify-between gap-2">
          <FilterFields value={filters} onChange={setFilters} />
          <Button type="submit" look="main" icon="search" busy={ask.isPending} disabled={question.trim() === ''}>
            Ask
          </Button>
        </div>
        {ask.isPending && <LoadingLines lines={3} label="Looking for an answer" />}
        <p role="status" className="sr-only">
          {ask.data && (ask.data.status === 'answered' ? 'Answered.' : 'Not in your documents.')}
        </p>
        {ask.isError && <ProblemNote error={ask.error} onRetry={submit} />}
      </form>
    </Panel>
  );
}

function Answered({ queryId }: { queryId: string }): ReactNode {
  const asked = useQuery(shownQuery(queryId));
  return (
    <Panel title="Answer">
      {asked.isPending && <LoadingLines lines={6} />}
      {asked.isError && <ProblemNote error={asked.error} onRetry={() => void asked.refetch()} />}
      {asked.data && <AnswerView key={queryId} asked={asked.data} />}
    </Panel>
  );
}

function Thread({ conversationId }: { conversationId: string }): ReactNode {
  const thread = useQuery(conversationQuery(conversationId));
  const newest = useRef<HTMLDivElement>(null);
  const turns = thread.data?.questions.length;
  const before = useRef(turns);
  useEffect(() => {
    if (before.current !== undefined && turns === before.current + 1) newest.current?.scrollIntoView();
    before.current = turns;
  }, [turns]);
  if (thread.isPending) return <LoadingLines lines={6} />;
  if (thread.isError) return <ProblemNote error={thread.error} onRetry={() => void thread.refetch()} />;
  const { title, questions } = thread.data;
  return (
    <Panel title={`Conversation: ${inertText(title)}`}>
      {questions.length === 0 ? (
        <p className="px-4 py-3 text-sm text-ink-2">Nothing was asked in it yet.</p>
      ) : (
        <div className="divide-y divide-line">
          {questions.map((asked, index) => (
            <div
              key={asked.query_id}
              ref={index === questions.length - 1 ? newest : undefined}
              className="scroll-mt-16"
            >
              <AnswerView asked={asked} />
            </div>
          ))}
        </div>
      )}
    </Panel>
  );
}

// What was asked: for an admin of everybody who is not in a conversation of their own, for others their own. The list of what was not
// answered says which documents are missing.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIs } from '../../../app/session.ts';
import { count } from '../../../ui/figures.ts';
import { inertText } from '../../../ui/inert-text.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Panel } from '../../../ui/page.tsx';
import { ShowMore } from '../../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../../ui/table.tsx';
import type { QuestionsSearch } from './ask-search.ts';
import { type LoggedQuery, questionsQuery, unansweredQuery } from './asking.ts';

const route = getRouteApi('/shell/ask/questions');

const choices: readonly (readonly [QuestionsSearch['show'], string])[] = [
  [undefined, 'All'],
  ['unanswered', 'Unanswered'],
  ['answered', 'Answered'],
  ['abstained', 'Not answered'],
  ['down', 'Rated down'],
];

export function QuestionsPage(): ReactNode {
  const search = route.useSearch();
  const isAdmin = useIs('admin');
  return (
    <Panel title={isAdmin ? 'Questions of this workspace' : 'Your questions'}>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        {choices.map(([show, label]) => (
          <Link
            key={label}
            to="/ask/questions"
            search={show === undefined ? {} : { show }}
            activeOptions={{ exact: true, includeSearch: true }}
            className="chip"
          >
            {label}
          </Link>
        ))}
      </div>
      {search.show === 'unanswered' ? <Unanswered /> : <Questions search={search} />}
    </Panel>
  );
}

const reasons: Readonly<Record<string, string>> = {
  no_documents: 'there was nothing to search',
  only_common_words: 'only words that a search ignores',
  nothing_found: 'nothing found',
  thin_evidence: 'the documents say too little about it',
  no_citation_left: 'no sentence had a citation',
  purged: 'its document was erased',
};

function reasonOf(reason: string | null): string {
  return reason === null ? '–' : (reasons[reason] ?? inertText(reason));
}

function Unanswered(): ReactNode {
  const open = useQuery(unansweredQuery);
  if (open.isPending) return <LoadingLines lines={5} />;
  if (open.isError) return <ProblemNote error={open.error} onRetry={() => void open.refetch()} />;
  const { data } = open.data;
  if (data.length === 0)
    return (
      <EmptyState icon="check" title="Every question was answered">
        <p>This page lists questions without an answer, and answers that somebody rated as not helpful.</p>
      </EmptyState>
    );
  return (
    <Table
      label="Questions that wait for an answer"
      head={['Question', right('Asked'), right('Rated down'), 'Why', 'Last']}
    >
      {data.map((each) => (
        <Row key={each.last_query_id}>
          <Cell className="max-w-96 min-w-48">
            <Link to="/ask" search={{ query: each.last_query_id }} className="link wrap-anywhere">
              {inertText(each.question)}
            </Link>
          </Cell>
          <Cell className="figures text-right">{count(each.times)}</Cell>
          <Cell className="figures text-right">{count(each.rated_down)}</Cell>
          <Cell className="text-xs text-ink-2">{reasonOf(each.reason)}</Cell>
          <Cell>
            <Moment at={each.last_asked_at} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Questions({ search }: { search: QuestionsSearch }): ReactNode {
  const pages = useInfiniteQuery(questionsQuery(search));
  if (pages.isPending) return <LoadingLines lines={6} />;
  if (pages.isError) return <ProblemNote error={pages.error} onRetry={() => void pages.refetch()} />;
  const rows = pages.data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return (
      <EmptyState icon="list" title="No question matches">
        <p>
          <Link to="/ask" search={{}} className="link">
            Ask your documents
          </Link>
        </p>
      </EmptyState>
    );
  return (
    <>
      <Table label="Questions" head={['Question', 'Asked by', 'Answer', 'Rating', right('ms'), 'When']}>
        {rows.map((row) => (
          <Question key={row.query_id} row={row} />
        ))}
      </Table>
      <ShowMore pages={pages} />
    </>
  );
}

function Question({ row }: { row: LoggedQuery }): ReactNode {
  return (
    <Row>
      <Cell className="max-w-96 min-w-48">
        <Link to="/ask" search={{ query: row.query_id }} className="link wrap-anywhere">
          {inertText(row.question)}
        </Link>
      </Cell>
      <Cell className="max-w-40 truncate text-xs">{inertText(row.asked_by)}</Cell>
      <Cell className="text-xs">{row.status === 'answered' ? 'answered' : 'not in the documents'}</Cell>
      <Cell className="text-xs">
        {row.rating === null ? '–' : row.rating === 'up' ? 'helpful' : 'not helpful'}
        {row.rating_note !== null && (
          <span className="block text-ink-2 wrap-anywhere">{inertText(row.rating_note)}</span>
        )}
      </Cell>
      <Cell className="figures text-right">{count(Math.round(row.milliseconds))}</Cell>
      <Cell>
        <Moment at={row.created_at} />
      </Cell>
    </Row>
  );
}

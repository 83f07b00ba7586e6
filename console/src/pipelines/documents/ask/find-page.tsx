// Search: chunks with the words of the query marked, each leading to its page.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { plural } from '../../../ui/figures.ts';
import { inertText } from '../../../ui/inert-text.ts';
import { Panel } from '../../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../../ui/states.tsx';
import { inertLines } from '../inert-lines.ts';
import { type FindSearch, readFindSearch } from './ask-search.ts';
import { findQuery, type Hit } from './asking.ts';
import { FilterFields } from './filter-fields.tsx';
import { marksOf } from './marks.ts';
import { WhyThese } from './why-these.tsx';

const route = getRouteApi('/shell/ask/search');

export function FindPage(): ReactNode {
  const search = route.useSearch();
  return (
    <Panel title="Search" aside={'"a phrase" is required, -word is excluded'}>
      <FindForm key={JSON.stringify(search)} search={search} />
      {search.q === undefined ? (
        <EmptyState icon="search" title="Search the active documents" />
      ) : (
        <Found search={search} />
      )}
    </Panel>
  );
}

function FindForm({ search }: { search: FindSearch }): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(search.q ?? '');
  const [filters, setFilters] = useState<FindSearch>(search);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/ask/search', search: readFindSearch({ ...filters, q: typed }) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-b border-line px-4 py-3">
      <div className="flex gap-2">
        <input
          ref={field}
          type="search"
          aria-label="Words to search for"
          maxLength={10_000}
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="control min-h-9 min-w-0 flex-1"
        />
        <Button type="submit" look="main" icon="search">
          Search
        </Button>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <FilterFields value={filters} onChange={setFilters} />
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={filters.group === 'document'}
            onChange={(event) => {
              const { group: _, ...others } = filters;
              setFilters(event.target.checked ? { ...others, group: 'document' } : others);
            }}
          />
          Only the best place of each document
        </label>
      </div>
    </form>
  );
}

function Found({ search }: { search: FindSearch }): ReactNode {
  const found = useQuery(findQuery(search));
  if (found.isPending) return <LoadingLines lines={8} label="Loading what was found" />;
  if (found.isError) return <ProblemNote error={found.error} onRetry={() => void found.refetch()} />;
  const { hits, why } = found.data;
  if (hits.length === 0)
    return (
      <EmptyState icon="search" title="Nothing was found">
        <p>
          {plural(why.searched.documents, 'document')} with {plural(why.searched.chunks, 'chunk')} searched.
        </p>
        {why.said.map((line) => (
          <p key={line}>{inertText(line)}</p>
        ))}
      </EmptyState>
    );
  return (
    <div className="flex flex-col">
      <ol aria-label="Found" className="divide-y divide-line">
        {hits.map((hit) => (
          <Result key={hit.chunk_id} hit={hit} />
        ))}
      </ol>
      <div className="border-t border-line px-4 py-3">
        <WhyThese hits={hits} why={why} />
      </div>
    </div>
  );
}

function Result({ hit }: { hit: Hit }): ReactNode {
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <Link
          to="/data/documents/$docId"
          params={{ docId: hit.doc_id }}
          search={{ version: hit.version, page: hit.page }}
          className="link font-medium wrap-anywhere"
        >
          {inertText(hit.title)}, {hit.unit} {hit.page}
        </Link>
        <span className="text-xs text-ink-2">{hit.why}</span>
      </p>
      {hit.also.length > 0 && (
        <p className="text-xs text-ink-2">and {plural(hit.also.length, 'further place')} in this document</p>
      )}
      {hit.heading_path.length > 0 && <p className="text-xs text-ink-2">{inertText(hit.heading_path.join(' › '))}</p>}
      <p dir="auto" className="line-clamp-6 max-w-prose text-sm wrap-anywhere whitespace-pre-wrap">
        {marksOf(hit.text, hit.highlights).map(({ start, text, isMarked }) =>
          isMarked ? (
            <mark key={start} className="rounded bg-water-soft text-ink">
              {shown(text)}
            </mark>
          ) : (
            <span key={start}>{shown(text)}</span>
          ),
        )}
      </p>
    </li>
  );
}

/** Empty lines between blocks take the room of the words; the page itself has them. */
function shown(text: string): string {
  return inertLines(text).replaceAll(/\n\s*\n/g, '\n');
}

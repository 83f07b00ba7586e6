import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, plural } from '../../../ui/figures.ts';
import { inertText } from '../../../ui/inert-text.ts';
import { Cell, Row, right, Table } from '../../../ui/table.tsx';
import type { Hit, Why } from './asking.ts';

/** Which way each chunk was found, and what was left out. Closed until somebody wants to know. */
export function WhyThese({ hits, why }: { hits: readonly Hit[]; why: Why }): ReactNode {
  const total = Object.values(why.stages).reduce((sum, ms) => sum + ms, 0);
  return (
    <details className="text-sm">
      <summary className="link w-fit cursor-pointer">Why these</summary>
      <div className="mt-2 flex flex-col gap-3">
        {hits.length > 0 && (
          <Table
            label="How each chunk was found"
            head={[right('Rank'), 'Chunk', right('By words'), right('By meaning'), right('Rerank'), right('Score')]}
          >
            {hits.map((hit) => (
              <Row key={hit.chunk_id}>
                <Cell className="figures text-right">{hit.rank}</Cell>
                <Cell className="min-w-40">
                  <Link
                    to="/data/documents/$docId"
                    params={{ docId: hit.doc_id }}
                    search={{ version: hit.version, page: hit.page }}
                    className="link wrap-anywhere"
                  >
                    {inertText(hit.title)}, {hit.unit} {hit.page}
                  </Link>
                </Cell>
                <Cell className="figures text-right">{rankOf(hit.ranks.lexical)}</Cell>
                <Cell className="figures text-right">{rankOf(hit.ranks.vector)}</Cell>
                <Cell className="figures text-right">{rankOf(hit.ranks.rerank)}</Cell>
                <Cell className="figures text-right">{hit.score.toFixed(2)}</Cell>
              </Row>
            ))}
          </Table>
        )}
        <ul className="list-disc pl-5 text-ink-2">
          {why.said.map((line) => (
            <li key={line}>{inertText(line)}</li>
          ))}
          <li>
            {modeWords[why.mode]}
            {why.model === null ? '' : ` (${inertText(why.model)})`}; candidates: {count(why.candidates.lexical)} by
            words, {count(why.candidates.vector)} by meaning
            {why.candidates.dropped > 0 && `, ${count(why.candidates.dropped)} dropped by a phrase or an excluded word`}
          </li>
          {why.rerank !== 'off' && (
            <li>{why.rerank === 'used' ? 'reranked' : 'the reranker failed; original order kept'}</li>
          )}
          <li>
            {plural(why.searched.documents, 'document')} with {plural(why.searched.chunks, 'chunk')} searched in{' '}
            {count(Math.round(total))} ms
          </li>
        </ul>
      </div>
    </details>
  );
}

const modeWords = {
  hybrid: 'found by words and by meaning',
  lexical: 'found by words alone',
  vector: 'found by meaning alone',
} as const;

function rankOf(rank: number | null): string {
  return rank === null ? '–' : count(rank);
}

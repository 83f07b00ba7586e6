import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { bytes, count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { objectsQuery, type Source, type SourceObject } from './list-sources.ts';
import { fateWords } from './object-counts.tsx';
import { fates, type ObjectFate } from './object-search.ts';

const looks: Record<ObjectFate, string> = {
  live: 'text-good',
  refused: 'text-bad',
  failed: 'text-bad',
  settling: 'text-water-strong',
  deleted: 'text-warn',
  kept: 'text-ink-2',
};
const marks: Record<ObjectFate, string> = {
  live: '✓',
  refused: '✕',
  failed: '↻',
  settling: '…',
  deleted: '⊘',
  kept: '○',
};

/** The objects of a source, each with its fate and its run; filtered by fate. */
export function ObjectsTable({ source, fate }: { source: Source; fate: ObjectFate | undefined }): ReactNode {
  const objects = useInfiniteQuery(objectsQuery(source.source_id, fate));
  return (
    <Panel title="Objects">
      <Filter source={source} fate={fate} />
      {objects.isPending && <LoadingLines lines={6} />}
      {objects.isError && <ProblemNote error={objects.error} onRetry={() => void objects.refetch()} />}
      {objects.data && <Objects objects={objects.data.pages.flatMap(({ data }) => data)} fate={fate} />}
      <ShowMore pages={objects} />
    </Panel>
  );
}

function Filter({ source, fate }: { source: Source; fate: ObjectFate | undefined }): ReactNode {
  const all = fates.reduce((sum, each) => sum + source.objects[each], 0);
  const choices: readonly (readonly [ObjectFate | undefined, string, number])[] = [
    [undefined, 'all', all],
    ...fates.map((each) => [each, fateWords[each], source.objects[each]] as const),
  ];
  return (
    <nav aria-label="Objects by fate" className="flex flex-wrap gap-x-4 gap-y-2 border-b border-line px-4 py-2 text-sm">
      {choices.map(([each, words, number]) => (
        <Link
          key={words}
          to="/operate/sources/$sourceId"
          params={{ sourceId: source.source_id }}
          search={each === undefined ? {} : { fate: each }}
          aria-current={each === fate ? 'true' : undefined}
          className={`min-h-6 ${each === fate ? 'font-medium underline underline-offset-4' : 'link'}`}
        >
          {words} <span className="figures">{count(number)}</span>
        </Link>
      ))}
    </nav>
  );
}

function Objects({ objects, fate }: { objects: readonly SourceObject[]; fate: ObjectFate | undefined }): ReactNode {
  if (objects.length === 0)
    return <EmptyState title={fate === undefined ? 'No objects yet' : `No object is ${fateWords[fate]}`} />;
  return (
    <Table label="Objects" head={['Object', 'Fate', right('Size'), 'Changed there', 'Run', 'Reason']}>
      {objects.map((object) => (
        <Row key={object.key}>
          <Cell className="min-w-48 wrap-anywhere">{inertText(object.key)}</Cell>
          <Cell className={`whitespace-nowrap ${looks[object.status]}`}>
            <span aria-hidden="true">{marks[object.status]}</span> {fateWords[object.status]}
            {object.deleted_at && (
              <>
                {' '}
                <Moment at={object.deleted_at} />
              </>
            )}
          </Cell>
          <Cell className="figures text-right whitespace-nowrap">{bytes(object.bytes)}</Cell>
          <Cell>
            <Moment at={object.modified_at} />
          </Cell>
          <Cell>
            {object.run_id === null ? (
              '–'
            ) : (
              <Link
                to="/r/$runId"
                params={{ runId: object.run_id }}
                className="link"
                aria-label={`Open the run of ${inertText(object.key)}`}
              >
                open
              </Link>
            )}
          </Cell>
          <Cell className="min-w-40 text-ink-2">{reasonOf(object)}</Cell>
        </Row>
      ))}
    </Table>
  );
}

function reasonOf({ error_text: error, unseen_because: unseen }: SourceObject): string {
  if (error !== null) return inertText(error);
  return unseen === null ? '–' : inertText(`Not seen by the last sync. ${unseen}`);
}

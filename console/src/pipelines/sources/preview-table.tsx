import type { ReactNode } from 'react';
import { bytes } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import type { Preview } from './list-sources.ts';

type Becomes = Preview['objects'][number]['becomes'];

const words: Record<Becomes, readonly [string, string, string]> = {
  taken: ['✓', 'becomes a run', 'text-good'],
  outside: ['○', 'left out', 'text-ink-2'],
  refused: ['✕', 'would be refused', 'text-bad'],
  settling: ['…', 'waits', 'text-water-strong'],
};

/** The first objects of a place and what each would become. */
export function PreviewTable({ preview, isJudged }: { preview: Preview; isJudged: boolean }): ReactNode {
  const { objects, more } = preview;
  if (objects.length === 0)
    return (
      <EmptyState title="Nothing is there yet">
        The connection works, but no object has this prefix and matches the patterns.
      </EmptyState>
    );
  const taken = objects.filter(({ becomes }) => becomes === 'taken').length;
  const head = ['Object', right('Size'), 'Changed there', ...(isJudged ? ['Becomes', 'Title or reason'] : [])];
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm text-ink-2">
        {isJudged && `${taken} of `}the first {objects.length} objects{isJudged && ' would become runs'}
        {more ? '; there are more.' : '; there are no more.'}
      </p>
      <Table label="First objects" head={head}>
        {objects.map((object) => (
          <Row key={object.key}>
            <Cell className="min-w-48 wrap-anywhere">{inertText(object.key)}</Cell>
            <Cell className="figures text-right whitespace-nowrap">{bytes(object.bytes)}</Cell>
            <Cell>
              <Moment at={object.modified_at} />
            </Cell>
            {isJudged && (
              <>
                <Cell className={`whitespace-nowrap ${words[object.becomes][2]}`}>
                  <span aria-hidden="true">{words[object.becomes][0]}</span> {words[object.becomes][1]}
                </Cell>
                <Cell className="min-w-40 text-ink-2">{inertText(object.reason ?? object.title ?? '–')}</Cell>
              </>
            )}
          </Row>
        ))}
      </Table>
    </div>
  );
}

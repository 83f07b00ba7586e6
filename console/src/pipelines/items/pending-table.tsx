// Pending items as both lists show them, those of a job and those of all jobs: with a box to choose each, and columns of the list's own around the status.
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { toggled } from './reprocess-pending.tsx';
import { ScrollOn } from './scroll-on.tsx';
import { StatusWord } from './status-word.tsx';

interface PendingItem {
  readonly id: string;
  readonly status: Parameters<typeof StatusWord>[0]['status'];
  readonly attempts: number;
  readonly locked_by: string | null;
  readonly updated_at: string | null;
}

interface OwnColumn<Item> {
  readonly title: string;
  readonly className?: string;
  readonly cell: (item: Item) => ReactNode;
}

interface Props<Item> {
  readonly items: readonly Item[];
  readonly jobOf: (item: Item) => string;
  readonly before: readonly OwnColumn<Item>[];
  readonly after: readonly OwnColumn<Item>[];
  /** The job of each chosen item, by its id. */
  readonly selected: ReadonlyMap<string, string>;
  readonly onSelect: (selected: ReadonlyMap<string, string>) => void;
  readonly pages: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

export function PendingTable<Item extends PendingItem>(props: Props<Item>): ReactNode {
  const { items, jobOf, before, after, selected, onSelect, pages } = props;
  const own = (columns: readonly OwnColumn<Item>[], item: Item) =>
    columns.map(({ title, className, cell }) => (
      <Cell key={title} {...(className === undefined ? {} : { className })}>
        {cell(item)}
      </Cell>
    ));
  const titles = (columns: readonly OwnColumn<Item>[]) => columns.map(({ title }) => title);
  if (items.length === 0) return <EmptyState icon="wave" title="Nothing is pending" />;
  return (
    <>
      <Table
        label="Pending items"
        head={['Item', ...titles(before), 'Status', 'Attempts', 'Locked by', 'Changed', ...titles(after)]}
      >
        {items.map((item) => (
          <Row key={item.id}>
            <Cell className="figures">
              <input
                type="checkbox"
                aria-label={`Select item ${item.id}`}
                checked={selected.has(item.id)}
                onChange={() => onSelect(toggled(selected, item.id, jobOf(item)))}
              />{' '}
              {item.id}
            </Cell>
            {own(before, item)}
            <Cell>
              <StatusWord status={item.status} />
            </Cell>
            <Cell className="figures">{item.attempts}</Cell>
            <Cell className="max-w-40 truncate">{inertText(item.locked_by ?? '–')}</Cell>
            <Cell>{item.updated_at === null ? '–' : <Moment at={item.updated_at} />}</Cell>
            {own(after, item)}
          </Row>
        ))}
      </Table>
      <ScrollOn
        hasMore={pages.hasNextPage}
        isBusy={pages.isFetchingNextPage}
        onMore={() => void pages.fetchNextPage()}
      />
    </>
  );
}

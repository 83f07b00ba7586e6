// One row's record, on the right: its cells to be corrected, what was recognised in it, its result, and every attempt with what was asked and answered.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { Moment } from '../../ui/moment.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { type ItemDetail, itemQuery, textOf } from './list-items.ts';
import { StatusWord } from './status-word.tsx';

interface Props {
  readonly jobId: string;
  readonly itemId: string;
  readonly columns: readonly string[];
  readonly onClose: () => void;
}

export function ItemPanel({ jobId, itemId, columns, onClose }: Props): ReactNode {
  const item = useQuery(itemQuery(jobId, itemId));
  const title = item.data === undefined ? 'Item' : `Row ${item.data.row_index + 1}`;
  return (
    <Modal side title={title} onClose={onClose}>
      {item.isError ? (
        <ProblemNote error={item.error} />
      ) : item.data === undefined ? (
        <LoadingLines lines={5} />
      ) : (
        <div className="flex flex-col gap-4">
          <p>
            <StatusWord status={item.data.status} /> {inertText(item.data.last_error ?? '')}
            {item.data.next_attempt_at !== null && (
              <>
                {' '}
                Tried again <Moment at={item.data.next_attempt_at} />.
              </>
            )}
          </p>
          <CellsForm key={itemId} jobId={jobId} item={item.data} columns={columns} />
          <Facts title="Recognised" facts={item.data.normalized} empty="Nothing was recognised in its cells." />
          <Facts title="Result" facts={item.data.result} empty="There is no result." />
          <Attempts item={item.data} />
        </div>
      )}
    </Modal>
  );
}

function CellsForm({
  jobId,
  item,
  columns,
}: {
  jobId: string;
  item: ItemDetail;
  columns: readonly string[];
}): ReactNode {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const correct = useMutation({
    mutationFn: () => call('jobs.correct', { params: { job_id: jobId, item_id: item.id }, body: { cells: draft } }),
    onSuccess: () => {
      setDraft({});
      void client.invalidateQueries({ queryKey: ['items', jobId] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    correct.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2" aria-label="Cells of the row">
      {columns.map((name) => (
        <label key={name} className="flex items-center gap-2 text-sm">
          <span className="w-36 shrink-0 truncate text-ink-2">{inertText(name)}</span>
          <input
            className="control min-h-7! flex-1"
            value={draft[name] ?? textOf(item.input[name])}
            onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
          />
          {item.corrected.includes(name) && (
            <span className="text-xs text-ink-2">was “{inertText(textOf(item.original[name]))}”</span>
          )}
        </label>
      ))}
      {correct.isError && <ProblemNote error={correct.error} />}
      <Button type="submit" look="main" busy={correct.isPending} disabled={Object.keys(draft).length === 0}>
        Correct and process again
      </Button>
    </form>
  );
}

function Facts({
  title,
  facts,
  empty,
}: {
  title: string;
  facts: Readonly<Record<string, unknown>> | null;
  empty: string;
}): ReactNode {
  const known = Object.entries(facts ?? {}).filter(([, value]) => value !== null && value !== '');
  return (
    <section aria-label={title}>
      <h3 className="label mb-1">{title}</h3>
      {known.length === 0 ? (
        <p className="text-sm text-ink-2">{empty}</p>
      ) : (
        <dl className="grid grid-cols-[9rem_1fr] gap-x-2 text-sm">
          {known.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="truncate text-ink-2">{inertText(name)}</dt>
              <dd className="wrap-anywhere">{inertText(textOf(value))}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Attempts({ item }: { item: ItemDetail }): ReactNode {
  return (
    <section aria-label="Attempts">
      <h3 className="label mb-1">Attempts</h3>
      <Table label="Attempts" head={['Attempt', 'Outcome and message', 'Strategy', 'Took', 'Ended']}>
        {item.record.map((each) => (
          <Row key={`${each.run_id} ${each.started_at} ${each.attempt}`}>
            <Cell className="figures">{each.attempt}</Cell>
            <Cell className="min-w-48">
              {each.outcome}
              <p className="text-xs wrap-anywhere text-ink-2">
                {inertText([each.detail ?? '', textOf(each.answer)].filter((text) => text !== '').join(' '))}
              </p>
            </Cell>
            <Cell>{inertText(each.strategy ?? '–')}</Cell>
            <Cell className="figures">{each.request_ms === null ? '–' : `${each.request_ms} ms`}</Cell>
            <Cell>
              <Moment at={each.ended_at} />
            </Cell>
          </Row>
        ))}
      </Table>
      {item.requests.length > 0 && (
        <Table label="Requests" head={['Asked', 'Strategy', 'Took', 'Answer', 'When']}>
          {item.requests.map((each, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: requests are never reordered
            <Row key={index}>
              <Cell>{inertText(each.provider)}</Cell>
              <Cell>{inertText(each.strategy)}</Cell>
              <Cell className="figures">{each.ms} ms</Cell>
              <Cell>{inertText(each.outcome)}</Cell>
              <Cell>
                <Moment at={each.created_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </section>
  );
}

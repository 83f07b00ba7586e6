// A new job: a file, a processor and what it is told; five rows are tried and shown before the job starts.
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { ApiError } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { catalogsQuery, textOf } from './list-items.ts';

type Tried = AnswerOf<'jobs.try'>;

interface Draft {
  readonly files: readonly File[];
  readonly processor: 'catalog' | 'http' | 'image';
  readonly catalog: string;
  readonly options: string;
}

const example = `{
  "url": "https://api.example.com/products/{{SKU}}",
  "columns": [{ "name": "price", "type": "number", "path": "product.price" }],
  "per_second": 5
}`;

export function NewJobPage(): ReactNode {
  const navigate = useNavigate();
  const catalogs = useQuery(catalogsQuery);
  const [draft, setDraft] = useState<Draft>({ files: [], processor: 'catalog', catalog: '', options: '' });
  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    attempt.reset();
  };
  const attempt = useMutation({ mutationFn: () => send<Tried>('/api/jobs/try', draft) });
  const start = useMutation({
    mutationFn: () => send<{ jobId: string }>('/api/jobs', draft),
    onSuccess: ({ jobId }) => void navigate({ to: '/r/$runId/items', params: { runId: jobId }, search: {} }),
  });
  const isReady = draft.files.length > 0 && (draft.processor !== 'http' || draft.options.trim() !== '');
  return (
    <Panel title="New job">
      <div className="flex flex-col gap-3 p-4 text-sm">
        <label className="flex flex-wrap items-center gap-2">
          <span className="w-28 text-ink-2">File</span>
          <input
            type="file"
            multiple
            aria-label="File of the job"
            onChange={({ target }) => change({ files: [...(target.files ?? [])] })}
          />
        </label>
        <label className="flex flex-wrap items-center gap-2">
          <span className="w-28 text-ink-2">Processor</span>
          <select
            aria-label="Processor"
            className="control"
            value={draft.processor}
            onChange={({ target }) => change({ processor: target.value as Draft['processor'] })}
          >
            <option value="catalog">match with a catalogue</option>
            <option value="http">call your endpoint</option>
            <option value="image">look at images</option>
          </select>
        </label>
        {draft.processor !== 'http' && (
          <label className="flex flex-wrap items-center gap-2">
            <span className="w-28 text-ink-2">Catalogue</span>
            <select
              aria-label="Catalogue"
              className="control"
              value={draft.catalog}
              onChange={({ target }) => change({ catalog: target.value })}
            >
              <option value="">{draft.processor === 'image' ? 'none' : 'the newest one'}</option>
              {catalogs.data?.data.map(({ name }) => (
                <option key={name} value={name}>
                  {inertText(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        {draft.processor === 'http' && (
          <label className="flex flex-wrap items-start gap-2">
            <span className="w-28 text-ink-2">Options</span>
            <textarea
              aria-label="Options of the processor"
              className="control figures min-h-40! flex-1"
              placeholder={example}
              value={draft.options}
              onChange={({ target }) => change({ options: target.value })}
            />
          </label>
        )}
        <div className="flex gap-2">
          {draft.processor !== 'image' && (
            <Button busy={attempt.isPending} disabled={!isReady} onClick={() => attempt.mutate()}>
              Try it on five rows
            </Button>
          )}
          <Button look="main" busy={start.isPending} disabled={!isReady} onClick={() => start.mutate()}>
            Start the job
          </Button>
        </div>
        {attempt.isError && <ProblemNote error={attempt.error} />}
        {start.isError && <ProblemNote error={start.error} />}
        {attempt.data && <TriedRows tried={attempt.data} />}
      </div>
    </Panel>
  );
}

function TriedRows({ tried }: { tried: Tried }): ReactNode {
  const inputs = tried.input_columns.slice(0, 4);
  return (
    <Table
      label="Tried rows"
      head={['Row', 'Outcome', ...inputs, ...tried.output_columns.map(({ title }) => title), 'Took', 'Said']}
    >
      {tried.rows.map((row) => (
        <Row key={row.row_index}>
          <Cell className="figures">{row.row_index + 1}</Cell>
          <Cell>{row.outcome}</Cell>
          {inputs.map((name) => (
            <Cell key={name} className="max-w-48 truncate">
              {inertText(textOf(row.input[name]))}
            </Cell>
          ))}
          {tried.output_columns.map(({ name }) => (
            <Cell key={`result ${name}`} className="max-w-48 truncate">
              {inertText(textOf(row.result?.[name]))}
            </Cell>
          ))}
          <Cell className="figures">{row.ms} ms</Cell>
          <Cell className="max-w-72 wrap-anywhere">{inertText(row.detail ?? '')}</Cell>
        </Row>
      ))}
    </Table>
  );
}

/** A form with files: the typed client speaks JSON only. */
async function send<Answer>(url: string, { files, processor, catalog, options }: Draft): Promise<Answer> {
  const form = new FormData();
  form.set('processor', processor);
  if (processor !== 'http' && catalog !== '') form.set('catalog', catalog);
  if (processor === 'http') form.set('options', options);
  for (const file of files) form.append('file', file, file.name);
  const answer = await fetch(url, { method: 'POST', body: form });
  if (!answer.ok) throw new ApiError(await answer.json());
  return (await answer.json()) as Answer;
}

// A cell of the file, corrected in its place: the row is processed again with it, the original stays.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError, call } from '../../app/api.ts';
import { inertText } from '../../ui/inert-text.ts';
import { type Item, textOf } from './list-items.ts';

interface Props {
  readonly jobId: string;
  readonly item: Item;
  readonly column: string;
}

export function EditableCell({ jobId, item, column }: Props): ReactNode {
  const client = useQueryClient();
  const [draft, setDraft] = useState<string | undefined>();
  const correct = useMutation({
    mutationFn: (text: string) =>
      call('jobs.correct', { params: { job_id: jobId, item_id: item.id }, body: { cells: { [column]: text } } }),
    onSuccess: () => {
      setDraft(undefined);
      void client.invalidateQueries({ queryKey: ['items', jobId] });
    },
  });
  const isCorrected = item.corrected.includes(column);
  const shown = textOf(item.input[column]);
  const look = `max-w-56 truncate px-2 whitespace-nowrap ${isCorrected ? 'bg-warn-soft' : ''}`;
  if (draft === undefined)
    return (
      <td
        className={`${look} cursor-text`}
        title={isCorrected ? 'corrected; double-click to change it again' : 'double-click to correct'}
        onDoubleClick={() => setDraft(shown)}
      >
        {inertText(shown)}
      </td>
    );
  const reason = correct.error instanceof ApiError ? correct.error.message : '';
  return (
    <td className="px-1">
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for by the double-click
        autoFocus
        aria-label={`${column} of row ${item.row_index + 1}`}
        aria-invalid={correct.isError}
        title={correct.isError ? reason : 'Enter corrects, Escape leaves it'}
        className="control min-h-6! w-52 text-sm!"
        value={draft}
        disabled={correct.isPending}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={() => {
          if (!correct.isPending && !correct.isError) setDraft(undefined);
        }}
        onKeyDown={({ key }) => {
          if (key === 'Escape') setDraft(undefined);
          if (key === 'Enter') correct.mutate(draft);
        }}
      />
      {correct.isError && <span className="text-xs text-bad"> {reason}</span>}
    </td>
  );
}

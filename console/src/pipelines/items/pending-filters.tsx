// Which pending items are shown: whose, of which status and kind, of one job, changed between two days.
import type { ReactNode } from 'react';
import type { PendingFilter } from './list-items.ts';

interface Props {
  readonly filter: PendingFilter;
  readonly onFilter: (filter: PendingFilter) => void;
  readonly isAdmin: boolean;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const control = 'control min-h-7! text-xs!';

export function PendingFilters({ filter, onFilter, isAdmin }: Props): ReactNode {
  /** An empty choice leaves the filter. */
  const choose = (name: keyof PendingFilter, value: string | undefined) => {
    const { [name]: _, ...others } = filter;
    onFilter((value === undefined || value === '' ? others : { ...others, [name]: value }) as PendingFilter);
  };
  const day = (name: 'from' | 'to', text: string) => {
    const at = new Date(`${text}T00:00:00`);
    if (name === 'to') at.setDate(at.getDate() + 1);
    choose(name, text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString());
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5 text-xs">
      {isAdmin && (
        <select
          aria-label="Whose"
          className={control}
          value={filter.userId}
          onChange={({ target }) => onFilter({ ...filter, userId: target.value === 'all' ? 'all' : 'me' })}
        >
          <option value="me">mine</option>
          <option value="all">everybody’s</option>
        </select>
      )}
      <select
        aria-label="Status"
        className={control}
        value={filter.statuses ?? ''}
        onChange={({ target }) => choose('statuses', target.value)}
      >
        <option value="">PENDING and PROCESSING</option>
        <option value="PENDING">PENDING</option>
        <option value="PROCESSING">PROCESSING</option>
      </select>
      <select
        aria-label="Kind of job"
        className={control}
        value={filter.jobType ?? ''}
        onChange={({ target }) => choose('jobType', target.value)}
      >
        <option value="">every kind</option>
        <option value="csv">rows</option>
        <option value="image">images</option>
      </select>
      <input
        aria-label="Id of a job"
        placeholder="job id"
        className={`${control} w-72`}
        onChange={({ target }) => {
          const text = target.value.trim().toLowerCase();
          if (text === '' || uuid.test(text)) choose('jobId', text);
        }}
      />
      <label className="flex items-center gap-1">
        changed from
        <input type="date" className={control} onChange={({ target }) => day('from', target.value)} />
      </label>
      <label className="flex items-center gap-1">
        to
        <input type="date" className={control} onChange={({ target }) => day('to', target.value)} />
      </label>
    </div>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { isFiltered, type RunFilters } from './run-filters.ts';
import { isSame, readSaved, type SavedFilter, withSaved, writeSaved } from './saved-filters.ts';

/** Filters kept under a name; the present one can be kept too. */
export function SavedFilters({ filters }: { filters: RunFilters }): ReactNode {
  const navigate = useNavigate();
  const [saved, setSaved] = useState(readSaved);
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const isKept = saved.some((each) => isSame(each.filters, filters));
  const keep = (next: SavedFilter[]) => {
    writeSaved(next);
    setSaved(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    keep(withSaved(saved, { name: name.trim(), filters }));
    setNaming(false);
    setName('');
  };
  if (saved.length === 0 && !isFiltered(filters)) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs">
      {saved.length > 0 && <span className="label">Saved</span>}
      {saved.map((each) => (
        <span key={each.name} className="inline-flex items-center">
          <button
            type="button"
            aria-current={isSame(each.filters, filters) || undefined}
            onClick={() => void navigate({ to: '/runs', search: each.filters })}
            className="chip rounded-r-none! border-r-0!"
          >
            {each.name}
          </button>
          <button
            type="button"
            aria-label={`Delete the filter ${each.name}`}
            onClick={() => keep(saved.filter(({ name: other }) => other !== each.name))}
            className="chip rounded-l-none! px-1.5!"
          >
            <Icon name="cross" className="size-3!" />
          </button>
        </span>
      ))}
      {isFiltered(filters) && !isKept && !naming && (
        <Button small look="quiet" onClick={() => setNaming(true)}>
          Save this filter…
        </Button>
      )}
      {naming && (
        <form onSubmit={submit} className="flex items-center gap-1.5">
          <input
            // biome-ignore lint/a11y/noAutofocus: it was asked for by the click that made it appear
            autoFocus
            required
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.target.value)}
            aria-label="Name of the filter"
            placeholder="Name of the filter"
            className="control min-h-7! w-44 text-xs!"
          />
          <Button small type="submit" look="main">
            Save
          </Button>
          <Button small look="quiet" onClick={() => setNaming(false)}>
            Cancel
          </Button>
        </form>
      )}
    </div>
  );
}

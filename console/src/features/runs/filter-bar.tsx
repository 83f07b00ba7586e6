import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useState } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { isFiltered, phases, type RunFilters, readRunFilters, spans, togglePhase } from './run-filters.ts';

const words: Record<string, string> = {
  waiting: 'Waiting',
  active: 'Working',
  done: 'Done',
  failed: 'Failed',
  dead: 'Dead letters',
};
const typingPauseMs = 250;

export function FilterBar({
  filters,
  searchRef,
}: {
  filters: RunFilters;
  searchRef: RefObject<HTMLInputElement | null>;
}): ReactNode {
  const navigate = useNavigate();
  const pipelines = useQuery(pipelinesQuery);
  const [typed, setTyped] = useState(filters.q ?? '');
  const go = (next: RunFilters) => void navigate({ to: '/runs', search: next, replace: true });
  useEffect(() => setTyped(filters.q ?? ''), [filters.q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for a pause in typing, nothing else
  useEffect(() => {
    if (typed === (filters.q ?? '')) return;
    const timer = setTimeout(() => go(readRunFilters({ ...filters, q: typed })), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const chosen = new Set((filters.phase ?? '').split(','));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="relative">
        <Icon name="search" className="absolute top-2 left-2 text-ink-3" />
        <input
          ref={searchRef}
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder="Name or run id"
          aria-label="Search runs by name or id"
          aria-keyshortcuts="/"
          className="control w-56 pl-8!"
        />
      </div>
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">State</legend>
        {phases.map((phase) => (
          <button
            key={phase}
            type="button"
            aria-pressed={chosen.has(phase)}
            onClick={() => go(togglePhase(filters, phase))}
            className="min-h-7 rounded-full border border-line-strong px-2.5 text-xs text-ink-2 hover:bg-sunken aria-pressed:border-water aria-pressed:bg-water-soft aria-pressed:font-medium aria-pressed:text-water-strong"
          >
            {words[phase]}
          </button>
        ))}
      </fieldset>
      <Choice
        label="Pipeline"
        value={filters.pipeline}
        options={(pipelines.data?.data ?? []).map((each) => [each.name, each.title])}
        onChoose={(pipeline) => go(readRunFilters({ ...filters, pipeline }))}
      />
      <Choice
        label="Created"
        value={filters.span}
        options={Object.keys(spans).map((span) => [span, `last ${span}`])}
        onChoose={(span) => go(readRunFilters({ ...filters, span }))}
      />
      {isFiltered(filters) && (
        <Button small look="quiet" icon="cross" onClick={() => go({})}>
          Clear
        </Button>
      )}
    </div>
  );
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
  onChoose: (value: string) => void;
}): ReactNode {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value)}
      className="control min-h-7! text-xs!"
    >
      <option value="">{label}: any</option>
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

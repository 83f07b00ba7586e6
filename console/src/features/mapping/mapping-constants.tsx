// What every row has although the file has no column for it: a currency, a campaign. One line per field.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { type Constants, type Draft, fillableFields } from './mapping-draft.ts';
import type { Mapping } from './show-mapping.ts';

export function MappingConstants({
  mapping,
  draft,
  constants,
  onChange,
}: {
  mapping: Mapping;
  draft: Draft;
  constants: Constants;
  onChange: (constants: Constants) => void;
}): ReactNode {
  const labels = new Map(mapping.fields.map(({ name, label }) => [name, label]));
  const offered = fillableFields(mapping, draft, constants);
  const without = (field: string) => Object.fromEntries(Object.entries(constants).filter(([name]) => name !== field));
  return (
    <section aria-label="The same in every row" className="border-t border-line px-4 py-2.5">
      <p className="text-sm font-medium">
        The same in every row
        <span className="ml-2 text-xs font-normal text-ink-3">for values that have no column in the file</span>
      </p>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {Object.entries(constants).map(([field, text]) => {
          const label = labels.get(field) ?? field;
          return (
            <li key={field} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <label className="flex items-center gap-2">
                <span className="w-32 truncate text-ink-2">{label}</span>
                <input
                  value={text}
                  onChange={(event) => onChange({ ...constants, [field]: event.target.value })}
                  maxLength={500}
                  className="control w-52"
                />
              </label>
              <Button
                small
                look="quiet"
                icon="cross"
                aria-label={`No ${label} for every row`}
                onClick={() => onChange(without(field))}
              >
                remove
              </Button>
            </li>
          );
        })}
      </ul>
      {offered.length > 0 && (
        <select
          aria-label="Add a field that is the same in every row"
          value=""
          onChange={(event) => onChange({ ...constants, [event.target.value]: '' })}
          className="control mt-1.5 w-52 text-ink-2"
        >
          <option value="">add a field …</option>
          {offered.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </section>
  );
}

import { type ReactNode, useId } from 'react';
import { plural } from '../../ui/figures.ts';

export type WhatBecomesOf = 'keep' | 'deactivate';

const words: readonly (readonly [WhatBecomesOf, string])[] = [
  ['keep', 'Keep it: it stays active'],
  ['deactivate', 'Deactivate it: search no longer finds it; Millrace deletes nothing'],
];

/** What becomes of what objects brought that no longer belong to a source. */
export function WhatBecomes({
  count,
  value,
  onChoose,
}: {
  count: number;
  value: WhatBecomesOf | undefined;
  onChoose: (what: WhatBecomesOf) => void;
}): ReactNode {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-warn bg-warn-soft px-3 py-2">
      <legend className="px-1 text-sm font-medium">What becomes of what {plural(count, 'object')} brought?</legend>
      {words.map(([what, label]) => (
        <label key={what} className="flex items-start gap-2 text-sm">
          <input type="radio" name={name} checked={value === what} onChange={() => onChoose(what)} className="mt-1" />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

import type { ReactNode } from 'react';

/** How many things wait for a person; nothing when none does. The words are read out, the number is seen. */
export function Badge({ count, text, what }: { count: number; text: string; what: string }): ReactNode {
  if (count === 0) return null;
  return (
    <span className="figures ml-1 rounded-full bg-bad px-1.5 text-xs font-medium text-on-bad" title={what}>
      {text}
      <span className="sr-only"> {what}</span>
    </span>
  );
}

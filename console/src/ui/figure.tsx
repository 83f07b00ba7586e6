import type { ReactNode } from 'react';

/** A number with its name, in a list of them. A bad one also has a mark, not only a colour. */
export function Figure({ name, value, bad = false }: { name: string; value: string; bad?: boolean }): ReactNode {
  return (
    <div className="px-4 py-3">
      <dt className="label">{name}</dt>
      <dd className={`figures text-xl font-semibold ${bad ? 'text-bad' : ''}`}>
        {bad && <span aria-hidden="true">▲ </span>}
        {value}
      </dd>
    </div>
  );
}

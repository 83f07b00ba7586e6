// Plain tables with one look. On a narrow screen they scroll sideways inside their own box.
import type { ReactNode } from 'react';

export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: readonly ReactNode[];
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <div className="relative overflow-x-auto" tabIndex={0}>
      <table aria-label={label} className="w-full border-collapse text-left text-sm">
        <thead>
          <tr className="border-b border-line-strong">
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={index} scope="col" className="label px-3 py-1.5 font-medium whitespace-nowrap">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The head of a column that holds buttons. */
export const actions: ReactNode = <span className="sr-only">Actions</span>;

/** A column head over figures, which stand at the right. */
export function right(label: string): ReactNode {
  return <span className="block text-right">{label}</span>;
}

export function Row({ children, className = '' }: { children: ReactNode; className?: string }): ReactNode {
  return <tr className={`border-b border-line last:border-0 hover:bg-sunken/60 ${className}`}>{children}</tr>;
}

export function Cell({ children, className = '' }: { children: ReactNode; className?: string }): ReactNode {
  return <td className={`px-3 py-1.5 align-middle ${className}`}>{children}</td>;
}

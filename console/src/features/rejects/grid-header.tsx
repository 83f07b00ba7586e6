import type { VirtualItem } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';

export const lineWidth = 72;
export const stateWidth = 108;
export const faultWidth = 260;
export const columnWidth = 184;
export const leadWidth = lineWidth + stateWidth + faultWidth;

/** The column names. The first two columns stay in sight while the rest scrolls sideways. */
export function GridHeader({
  columns,
  shown,
  height,
}: {
  columns: readonly string[];
  shown: readonly VirtualItem[];
  height: number;
}): ReactNode {
  const gap = (shown[0]?.start ?? leadWidth) - leadWidth;
  const cell = 'label flex shrink-0 items-center truncate border-r border-line bg-sunken px-2 font-medium';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    <div
      role="row"
      aria-rowindex={1}
      className="sticky top-0 z-20 flex border-b border-line-strong bg-sunken"
      style={{ height }}
    >
      <HeadCell index={1} className={`${cell} sticky left-0 z-10`} width={lineWidth}>
        Row
      </HeadCell>
      <HeadCell index={2} className={cell} width={stateWidth}>
        State
      </HeadCell>
      <HeadCell index={3} className={cell} width={faultWidth}>
        What is wrong
      </HeadCell>
      <span className="shrink-0" style={{ width: gap }} />
      {shown.map((item) => (
        <HeadCell key={item.key} index={item.index + 4} className={cell} width={columnWidth}>
          <span className="truncate" title={columns[item.index]}>
            {inertText(columns[item.index] ?? '')}
          </span>
        </HeadCell>
      ))}
    </div>
  );
}

function HeadCell({
  index,
  width,
  className,
  children,
}: {
  index: number;
  width: number;
  className: string;
  children: ReactNode;
}): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual grid cannot be a table element
    // biome-ignore lint/a11y/useFocusableInteractive: the grid holds the focus and names its active cell
    <div role="columnheader" aria-colindex={index} className={className} style={{ width }}>
      {children}
    </div>
  );
}

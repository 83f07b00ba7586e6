import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count } from '../../ui/figures.ts';
import type { Source } from './list-sources.ts';
import type { ObjectFate } from './object-search.ts';

/** What the fates are called where people read them. */
export const fateWords: Record<ObjectFate, string> = {
  live: 'taken in',
  refused: 'refused',
  failed: 'not readable yet',
  settling: 'may be growing',
  deleted: 'vanished',
  kept: 'gone, kept',
};

const looks: Partial<Record<ObjectFate, string>> = {
  refused: 'text-bad',
  failed: 'text-bad',
  settling: 'text-water-strong',
  deleted: 'text-warn',
};

/** How many objects met which fate; each opens those objects. What was taken in is always told, the others when there are any. */
export function ObjectCounts({ source }: { source: Source }): ReactNode {
  const shown = (Object.keys(fateWords) as ObjectFate[]).filter((fate) => fate === 'live' || source.objects[fate] > 0);
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {shown.map((fate) => (
        <Link
          key={fate}
          to="/operate/sources/$sourceId"
          params={{ sourceId: source.source_id }}
          search={{ fate }}
          className={`link ${looks[fate] ?? ''}`}
        >
          <span className="figures">{count(source.objects[fate])}</span> {fateWords[fate]}
        </Link>
      ))}
    </p>
  );
}

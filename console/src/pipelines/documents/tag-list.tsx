import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { readDocumentSearch } from './document-search.ts';

/** Each leads to the documents that have it. */
export function TagList({ tags }: { tags: readonly string[] }): ReactNode {
  if (tags.length === 0) return null;
  return (
    <span className="mt-0.5 flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Link
          key={tag}
          to="/data/documents"
          search={readDocumentSearch({ tag })}
          title={`Documents with the tag ${inertText(tag)}`}
          className="min-h-6 rounded bg-sunken px-1.5 py-0.5 text-xs text-ink-2 hover:text-ink"
        >
          {inertText(tag)}
        </Link>
      ))}
    </span>
  );
}

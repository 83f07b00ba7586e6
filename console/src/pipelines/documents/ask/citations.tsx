import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inertText } from '../../../ui/inert-text.ts';
import { Modal } from '../../../ui/modal.tsx';
import type { Citation } from './asking.ts';
import { CitedPage } from './cited-page.tsx';

interface Props {
  readonly citations: readonly Citation[];
  readonly onOpen: (number: number) => void;
}

/** Each quoted page as it looks, with the quote boxed. */
export function Citations({ citations, onOpen }: Props): ReactNode {
  if (citations.length === 0) return null;
  return (
    <ol aria-label="Citations" className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-4">
      {citations.map((citation) => (
        <li key={citation.number} className="min-w-0">
          <button
            type="button"
            data-citation={citation.number}
            onClick={() => onOpen(citation.number)}
            className="flex w-full flex-col gap-1 rounded-md border border-line p-2 text-left hover:border-water focus-visible:border-water"
          >
            <span data-clip className="relative block max-h-44 w-full overflow-hidden rounded border border-line">
              <CitedPage place={citation} size="small" />
            </span>
            <span className="text-xs wrap-anywhere">
              <strong className="figures">[{citation.number}]</strong> {inertText(citation.title)}
              <span className="text-ink-2">
                , {citation.unit} {citation.page}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The page of a citation, of the version that was quoted, whether that is still served or not. */
export function OpenCitation({ citation, onClose }: { citation: Citation; onClose: () => void }): ReactNode {
  return (
    <Modal title={`[${citation.number}] ${inertText(citation.title)}`} onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <blockquote dir="auto" className="border-l-4 border-water pl-3 text-sm wrap-anywhere">
          {inertText(citation.quote)}
        </blockquote>
        <p className="text-sm text-ink-2">
          {citation.unit} {citation.page} of version {citation.version} ·{' '}
          <Link
            to="/data/documents/$docId"
            params={{ docId: citation.doc_id }}
            search={{ version: citation.version, page: citation.page }}
            className="link"
          >
            Open the document there
          </Link>
        </p>
        <div className="overflow-hidden rounded border border-line-strong">
          <CitedPage place={citation} size="large" />
        </div>
      </div>
    </Modal>
  );
}

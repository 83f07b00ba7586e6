import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { percent } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { ProblemNote } from '../../ui/states.tsx';
import { type DocumentVersion, documentKey, type PageText } from './show-document.ts';

interface Props {
  readonly docId: string;
  readonly version: DocumentVersion;
  readonly page: PageText;
}

const marks = { text: '✓', ocr: '◑', empty: '○', rejected: '✕' } as const;
const words = {
  text: 'read from its text layer',
  ocr: 'read from its image',
  empty: 'empty',
  rejected: 'not read',
} as const;
const looks = { text: 'text-good', ocr: 'text-warn', empty: 'text-ink-2', rejected: 'text-bad' } as const;

/** What became of the page, and what can be done about it: each fix makes a new version. */
export function PageFixes({ docId, version, page }: Props): ReactNode {
  const queries = useQueryClient();
  const mayFix = useIs('admin', 'user') && version.is_active;
  const fixing = useMutation({
    mutationFn: (how: 'ocr' | 'exclude' | 'include') =>
      call('documents.page-retry', {
        params: { doc_id: docId, version: version.version, page_no: page.page_no },
        body: { how },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: documentKey(docId) }),
  });
  const isLeftOut = page.fate === 'rejected' && page.reason === 'left out by a person';
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1">
          <span aria-hidden="true" className={looks[page.fate]}>
            {marks[page.fate]}
          </span>{' '}
          <strong>{version.unit === 'section' && page.fate === 'text' ? 'read' : words[page.fate]}</strong>
          {page.reason !== null && <span className="text-ink-2">: {inertText(page.reason)}</span>}
          {page.ocr_confidence !== null && (
            <span className="text-ink-2">, {percent(page.ocr_confidence, 1)} sure of its letters</span>
          )}
          {page.tables_lost > 0 && (
            <span className="text-ink-2">, {page.tables_lost} of its tables as plain lines</span>
          )}
        </p>
        {mayFix && version.unit === 'page' && page.fate !== 'ocr' && !isLeftOut && (
          <Button small icon="replay" busy={fixing.isPending} onClick={() => fixing.mutate('ocr')}>
            Read it again with OCR
          </Button>
        )}
        {mayFix && !isLeftOut && (
          <Button small busy={fixing.isPending} onClick={() => fixing.mutate('exclude')}>
            Exclude it
          </Button>
        )}
        {mayFix && (isLeftOut || page.fate === 'ocr') && (
          <Button small busy={fixing.isPending} onClick={() => fixing.mutate('include')}>
            {isLeftOut ? 'Include it again' : 'Read its text layer again'}
          </Button>
        )}
      </div>
      {fixing.isError && <ProblemNote error={fixing.error} />}
    </div>
  );
}

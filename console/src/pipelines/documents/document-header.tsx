import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { urlOf } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { type Asking, DocumentDialog } from './document-dialogs.tsx';
import { sourceWords } from './documents-table.tsx';
import { GradeMark, gradeReason } from './grade-mark.tsx';
import type { DocumentDetail, DocumentVersion } from './show-document.ts';
import { TagList } from './tag-list.tsx';

interface Props {
  readonly document: DocumentDetail;
  readonly shown: DocumentVersion | undefined;
}

export function DocumentHeader({ document, shown }: Props): ReactNode {
  return (
    <section aria-label="Document" className="card flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          <h2 className="text-lg wrap-anywhere">{inertText(document.title)}</h2>
          <p className="text-sm text-ink-2 wrap-anywhere">
            <Standing document={document} /> · <span title={document.source_uri}>{sourceWords(document)}</span>
          </p>
          <TagList tags={document.tags} />
        </div>
        <Actions document={document} shown={shown} />
      </div>
      {shown && <Facts version={shown} />}
    </section>
  );
}

function Standing({ document }: { document: DocumentDetail }): ReactNode {
  if (document.versions.length === 0) return <>not read yet</>;
  if (document.status === 'inactive') return <strong className="text-warn">inactive</strong>;
  return (
    <>
      {document.version_label} served since <Moment at={document.activated_at} />
    </>
  );
}

/** The sum over its pages, the grade with its reason, and what was set aside. */
function Facts({ version }: { version: DocumentVersion }): ReactNode {
  const fates = [
    [version.text_pages, 'text'],
    [version.ocr_pages, 'OCR'],
    [version.empty_pages, 'empty'],
    [version.rejected_pages, 'rejected'],
  ] as const;
  const parts = fates.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-2 text-sm">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <GradeMark grade={version.grade} />
        <span className="text-ink-2">{version.grade_shares ? gradeReason(version.grade_shares) : ''}</span>
        <span>
          {plural(version.pages, version.unit)} = {parts.join(' + ')}
        </span>
        <span className="text-ink-2">
          {plural(version.chunks, 'chunk')}, {plural(version.passages, 'passage')}, {plural(version.tokens, 'token')}
          {version.language === null ? '' : `, ${capitalised(version.language)}`}
        </span>
      </p>
      {version.notes.length > 0 && (
        <p className="text-ink-2">
          <Icon name="warn" className="mr-1 align-text-bottom" />
          {version.notes.map(inertText).join('; ')}
        </p>
      )}
    </div>
  );
}

function Actions({ document, shown }: Props): ReactNode {
  const [asking, setAsking] = useState<Asking>();
  const isAdmin = useIs('admin');
  const mayEdit = useIs('admin', 'user');
  const params = { doc_id: document.doc_id, version: shown?.version };
  return (
    <div className="flex flex-wrap gap-2">
      {mayEdit && document.status === 'active' && (
        <Link to="/ask" search={{ doc: document.doc_id }} className={buttonClass('plain', true)}>
          <Icon name="search" /> Ask about it
        </Link>
      )}
      {shown && (
        <>
          <a className={buttonClass('plain', true)} href={urlOf('documents.original', { params })} download>
            <Icon name="download" /> Original
          </a>
          <a className={buttonClass('plain', true)} href={urlOf('documents.markdown', { params })} download>
            <Icon name="download" /> Markdown
          </a>
        </>
      )}
      {mayEdit && (
        <Button small onClick={() => setAsking('edit')}>
          Title and tags
        </Button>
      )}
      {isAdmin && shown && !shown.is_active && (
        <Button small icon="play" onClick={() => setAsking('reactivate')}>
          Serve {shown.version_label}
        </Button>
      )}
      {isAdmin && document.status === 'active' && (
        <Button small icon="stop" onClick={() => setAsking('deactivate')}>
          Deactivate
        </Button>
      )}
      {isAdmin && (
        <Button small look="danger" onClick={() => setAsking('purge')}>
          Purge
        </Button>
      )}
      {asking && (
        <DocumentDialog asking={asking} document={document} shown={shown} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

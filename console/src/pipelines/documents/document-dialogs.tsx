// What a person changes on a document: title and tags, whether it is served, and for good whether it exists.
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { documentsKey } from './list-documents.ts';
import type { DocumentDetail, DocumentVersion } from './show-document.ts';

export type Asking = 'edit' | 'deactivate' | 'reactivate' | 'purge';

interface Props {
  readonly document: DocumentDetail;
  readonly shown: DocumentVersion | undefined;
  readonly onClose: () => void;
}

export function DocumentDialog({ asking, ...props }: Props & { asking: Asking }): ReactNode {
  switch (asking) {
    case 'edit':
      return <EditDialog {...props} />;
    case 'deactivate':
      return <DeactivateDialog {...props} />;
    case 'reactivate':
      return <ReactivateDialog {...props} />;
    case 'purge':
      return <PurgeDialog {...props} />;
  }
}

function EditDialog({ document, onClose }: Props): ReactNode {
  const [title, setTitle] = useState(document.title);
  const [tags, setTags] = useState(document.tags.join(', '));
  const words = [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  return (
    <FormDialog
      title="Title and tags"
      submit="Save"
      refresh={documentsKey}
      onClose={onClose}
      send={() => call('documents.update', { params: { doc_id: document.doc_id }, body: { title, tags: words } })}
    >
      <Field label="Title" required maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
      <Field
        label="Tags"
        hint="Separated by commas; documents with the same tag make a set."
        value={tags}
        onChange={(event) => setTags(event.target.value)}
      />
    </FormDialog>
  );
}

function DeactivateDialog({ document, onClose }: Props): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title="Deactivate this document"
      submit="Deactivate"
      refresh={documentsKey}
      onClose={onClose}
      send={() =>
        call('documents.deactivate', {
          params: { doc_id: document.doc_id },
          body: reason.trim() === '' ? {} : { reason },
        })
      }
    >
      <p>
        Search no longer finds this document. Millrace deletes nothing, and an admin can activate any version again.
        Millrace refuses the same file from other users.
      </p>
      <Field
        label="Reason (kept with it)"
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}

function ReactivateDialog({ document, shown, onClose }: Props): ReactNode {
  const label = shown?.version_label ?? 'the newest version';
  return (
    <FormDialog
      title={`Serve ${label}`}
      submit={`Serve ${label}`}
      refresh={documentsKey}
      onClose={onClose}
      send={() =>
        call('documents.reactivate', {
          params: { doc_id: document.doc_id },
          body: shown === undefined ? {} : { version: shown.version },
        })
      }
    >
      <p>
        {document.status === 'active'
          ? `${label} replaces ${document.version_label}, which you can still read.`
          : `Search finds ${label} again.`}{' '}
        No embedding is computed again.
      </p>
    </FormDialog>
  );
}

/** Erasing cannot be taken back: the title must be typed. */
function PurgeDialog({ document, onClose }: Props): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const isSure = typed.trim() === document.title;
  const send = async () => {
    await call('documents.purge', {
      params: { doc_id: document.doc_id },
      query: reason.trim() === '' ? {} : { reason },
    });
    await navigate({ to: '/data/documents', search: {} });
  };
  return (
    <FormDialog
      title="Erase this document for good"
      submit="Erase for good"
      danger
      refresh={documentsKey}
      onClose={onClose}
      send={isSure ? send : () => Promise.reject(new Error('This is not the title of the document.'))}
    >
      <p>
        Millrace erases all versions, pages, chunks, vectors, the files of all its runs, and what earlier answers quote
        of it; nobody can restore them. A tombstone and the entry in the audit log stay.
      </p>
      <Field
        label={`Type its title: ${inertText(document.title)}`}
        required
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Field
        label="Reason (kept with the tombstone)"
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}

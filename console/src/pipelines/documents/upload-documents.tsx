import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { useIs } from '../../app/session.ts';
import { takeFiles } from '../../features/tray/tray-store.ts';
import { Button } from '../../ui/button.tsx';

/** They are documents, whatever else would take their ending. */
const kind = { name: 'documents', title: 'Document', pipeline: 'documents', endings: [] };

/** Chooses files; how far each upload is, and what became of it, is told by the tray. */
export function UploadDocuments(): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const pipelines = useQuery(pipelinesQuery).data?.data ?? [];
  const accepts = pipelines.find(({ name }) => name === 'documents')?.accepts ?? [];
  if (!useIs('admin', 'user') || accepts.length === 0) return null;
  return (
    <>
      <Button look="main" small icon="upload" onClick={() => input.current?.click()}>
        Upload documents
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Documents to upload"
        accept={accepts.map((ending) => `.${ending}`).join(',')}
        className="hidden"
        onChange={(event) => {
          takeFiles([...(event.target.files ?? [])], { kind, kinds: async () => [kind] });
          event.target.value = '';
        }}
      />
    </>
  );
}

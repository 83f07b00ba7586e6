import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { problemOf } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { UploadProgress } from './upload-progress.tsx';
import { dismissUpload, type Upload, useUploads } from './upload-store.ts';

/** Uploads under way, in the corner of every page. */
export function UploadDock(): ReactNode {
  const here = useLocation({ select: (location) => location.pathname });
  const uploads = useUploads().filter(({ answer }) => !answer || !here.startsWith(`/r/${answer.upload_id}`));
  if (uploads.length === 0) return null;
  return (
    <section
      aria-label="Uploads"
      className="fixed right-3 bottom-17 z-40 flex w-[min(24rem,calc(100vw-1.5rem))] flex-col gap-2 md:bottom-3"
    >
      {uploads.map((upload) => (
        <DockEntry key={upload.key} upload={upload} />
      ))}
    </section>
  );
}

function DockEntry({ upload }: { upload: Upload }): ReactNode {
  const problem = upload.state === 'refused' ? problemOf(upload.error) : undefined;
  return (
    <div className={`rounded-lg border bg-raised p-3 shadow-lg ${problem ? 'border-bad' : 'border-line-strong'}`}>
      <div className="mb-1.5 flex items-center gap-2">
        <Icon
          name={problem ? 'warn' : upload.state === 'stored' ? 'check' : 'file'}
          className={problem ? 'text-bad' : 'text-water'}
        />
        <span className="min-w-0 flex-1 truncate font-medium" title={upload.name}>
          {inertText(upload.name)}
        </span>
        {upload.state === 'sending' ? (
          <Button small look="quiet" onClick={upload.stop}>
            Stop
          </Button>
        ) : (
          <Button small look="quiet" icon="cross" aria-label="Dismiss" onClick={() => dismissUpload(upload.key)} />
        )}
      </div>
      {upload.state === 'sending' && <UploadProgress upload={upload} />}
      {upload.state === 'stored' && upload.answer && (
        <p className="text-xs text-ink-2">
          Stored.{' '}
          <Link to="/r/$runId" params={{ runId: upload.answer.upload_id }} className="link">
            Open its run
          </Link>
          {upload.answer.same_bytes_as && ' · exactly these bytes were uploaded before'}
        </p>
      )}
      {problem && (
        <p role="alert" className="text-xs">
          {problem.detail} <span className="text-ink-2">{problem.next}</span>
        </p>
      )}
    </div>
  );
}

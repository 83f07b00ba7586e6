import type { ReactNode } from 'react';
import { bytes, duration, percent } from '../../ui/figures.ts';
import { useNow } from '../../ui/use-now.ts';
import type { TrayFile } from './tray-store.ts';

/** How much has left, how fast, and how long it will take. */
export function UploadProgress({ upload }: { upload: TrayFile }): ReactNode {
  const now = useNow(500);
  const spentMs = Math.max(1, now - upload.startedMs);
  const perMs = upload.sentBytes / spentMs;
  const restMs = perMs > 0 ? (upload.file.size - upload.sentBytes) / perMs : undefined;
  const sentAll = upload.sentBytes >= upload.file.size && upload.file.size > 0;
  return (
    <div className="flex flex-col gap-1.5">
      <progress
        className="upload-progress h-2 w-full"
        max={Math.max(1, upload.file.size)}
        value={upload.sentBytes}
        aria-label={`Upload of ${upload.file.name}`}
      />
      <p className="flex justify-between gap-3 text-xs text-ink-2">
        <span>
          {bytes(upload.sentBytes)} of {bytes(upload.file.size)} · {percent(upload.sentBytes, upload.file.size)}
        </span>
        <span>
          {sentAll
            ? 'storing and hashing'
            : restMs === undefined || spentMs < 700
              ? 'starting'
              : `${bytes(perMs * 1000)}/s · ${duration(restMs)} left`}
        </span>
      </p>
    </div>
  );
}

// Uploads under way. They live outside the pages, so that going elsewhere does not stop them; closing the tab asks first.
import { useSyncExternalStore } from 'react';
import { type Destination, sendFile, type UploadAnswer } from './send-file.ts';

export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly startedMs: number;
  readonly state: 'sending' | 'stored' | 'refused';
  readonly answer?: UploadAnswer;
  readonly error?: unknown;
  readonly stop: () => void;
}

let uploads: readonly Upload[] = [];
let nextKey = 1;
const listeners = new Set<() => void>();

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
}

/** Resolves with the new run once the bytes are stored; resolves with nothing when it was stopped or refused (the dock says why). */
export async function startUpload(file: File, to: Destination): Promise<UploadAnswer | undefined> {
  const controller = new AbortController();
  const key = nextKey++;
  const stop = () => controller.abort();
  uploads = [
    ...uploads,
    { key, name: file.name, sizeBytes: file.size, sentBytes: 0, startedMs: Date.now(), state: 'sending', stop },
  ];
  publish();
  try {
    const answer = await sendFile(file, to, (sentBytes) => change(key, { sentBytes }), controller.signal);
    change(key, { state: 'stored', sentBytes: file.size, answer });
    setTimeout(() => dismissUpload(key), 6_000);
    return answer;
  } catch (error) {
    if (controller.signal.aborted) dismissUpload(key);
    else change(key, { state: 'refused', error });
    return undefined;
  }
}

export function dismissUpload(key: number): void {
  uploads = uploads.filter((upload) => upload.key !== key);
  publish();
}

function change(key: number, part: Partial<Upload>): void {
  uploads = uploads.map((upload) => (upload.key === key ? { ...upload, ...part } : upload));
  publish();
}

function publish(): void {
  const sending = uploads.some((upload) => upload.state === 'sending');
  window.onbeforeunload = sending ? (event) => event.preventDefault() : null;
  for (const listener of listeners) listener();
}

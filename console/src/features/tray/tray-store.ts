// The files that were dropped or chosen. Each stays in the tray until it has a run or a person has answered for it, whatever page is
// open; closing the tab asks first while one has neither.
import { useSyncExternalStore } from 'react';
import { ApiError } from '../../app/api.ts';
import { decodeHead, guessKind } from './guess-kind.ts';
import type { Kind } from './kind.ts';
import { type Destination, sendFile, type UploadAnswer } from './send-file.ts';

export interface TrayFile {
  readonly key: number;
  readonly file: File;
  /** looking: what it is is being found out; asking: a person must say it; refused: with a reason, and it can be tried again. */
  readonly state: 'looking' | 'asking' | 'sending' | 'stored' | 'refused';
  readonly sentBytes: number;
  readonly startedMs: number;
  /** Where it goes, once that is known. */
  readonly to?: Destination;
  readonly answer?: UploadAnswer;
  readonly error?: unknown;
}

export interface Drop {
  /** What files can be; asked of the server, so it may fail and be tried again. */
  readonly kinds: () => Promise<readonly Kind[]>;
  /** What a person has said they are; left out, it is guessed. */
  readonly kind?: Kind | undefined;
  /** Told of each run that comes of them. */
  readonly onRun?: (answer: UploadAnswer) => void;
}

const headBytes = 64 * 1024;

const unreadable = new ApiError({
  type: 'about:blank',
  title: 'The file cannot be read',
  status: 0,
  detail: 'The browser cannot read it. It may be a folder, or have been moved or changed since.',
  next: 'Drop the file itself again.',
  code: 'file_unreadable',
  instance: '',
  correlation_id: '',
});

let files: readonly TrayFile[] = [];
let nextKey = 1;
const drops = new Map<number, Drop>();
const stops = new Map<number, AbortController>();
const listeners = new Set<() => void>();

export function useTray(): readonly TrayFile[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => files,
  );
}

/** All of them are in the tray at once; then each goes its way. */
export function takeFiles(dropped: readonly File[], drop: Drop): void {
  const taken = dropped.map((file): TrayFile => {
    const key = nextKey++;
    drops.set(key, drop);
    return { key, file, state: 'looking', sentBytes: 0, startedMs: Date.now() };
  });
  files = [...files, ...taken];
  publish();
  for (const { key } of taken) void begin(key);
}

/** Corrected rejects on their way back: what they are is known. Resolves with nothing when they were stopped or refused. */
export function returnFile(file: File, to: Destination): Promise<UploadAnswer | undefined> {
  const key = nextKey++;
  files = [...files, { key, file, state: 'sending', sentBytes: 0, startedMs: Date.now(), to }];
  publish();
  return send(key, to).then((answer) => {
    // Who sent it shows what becomes of it.
    if (answer) dismiss(key);
    return answer;
  });
}

export function answerKind(key: number, kind: Kind): void {
  const entry = find(key);
  if (entry?.state === 'asking') void send(key, destinationOf(kind, entry.file));
}

export function tryAgain(key: number): void {
  const entry = find(key);
  if (entry?.state !== 'refused') return;
  if (entry.to) void send(key, entry.to);
  else void begin(key);
}

/** The person leaves it out, or has seen how it ended. */
export function dismiss(key: number): void {
  stops.get(key)?.abort();
  files = files.filter((each) => each.key !== key);
  drops.delete(key);
  publish();
}

export function dismissStored(): void {
  for (const { key, state } of files) if (state === 'stored') dismiss(key);
}

async function begin(key: number): Promise<void> {
  const drop = drops.get(key);
  const entry = find(key);
  if (!drop || !entry) return;
  change(key, { state: 'looking', error: undefined });
  try {
    const kind = drop.kind ?? (await guess(entry.file, await drop.kinds()));
    if (kind) await send(key, destinationOf(kind, entry.file));
    else change(key, { state: 'asking' });
  } catch (error) {
    change(key, { state: 'refused', error });
  }
}

async function send(key: number, to: Destination): Promise<UploadAnswer | undefined> {
  const entry = find(key);
  if (!entry) return undefined;
  const controller = new AbortController();
  stops.set(key, controller);
  change(key, { state: 'sending', to, sentBytes: 0, startedMs: Date.now(), error: undefined });
  try {
    const answer = await sendFile(entry.file, to, (sentBytes) => change(key, { sentBytes }), controller.signal);
    change(key, { state: 'stored', sentBytes: entry.file.size, answer });
    drops.get(key)?.onRun?.(answer);
    return answer;
  } catch (error) {
    if (!controller.signal.aborted) change(key, { state: 'refused', error });
    return undefined;
  } finally {
    stops.delete(key);
  }
}

function destinationOf(kind: Kind, file: File): Destination {
  return { pipeline: kind.pipeline, fields: kind.fields?.(file) ?? {} };
}

async function guess(file: File, kinds: readonly Kind[]): Promise<Kind | undefined> {
  const head = await file
    .slice(0, headBytes)
    .arrayBuffer()
    .catch(() => {
      throw unreadable;
    });
  return guessKind(decodeHead(new Uint8Array(head)), file.name, kinds)?.kind;
}

function find(key: number): TrayFile | undefined {
  return files.find((each) => each.key === key);
}

function change(key: number, part: { [Name in keyof TrayFile]?: TrayFile[Name] | undefined }): void {
  files = files.map((each) => (each.key === key ? ({ ...each, ...part } as TrayFile) : each));
  publish();
}

function publish(): void {
  const isUnsettled = files.some(({ state }) => state !== 'stored' && state !== 'refused');
  window.onbeforeunload = isUnsettled ? (event) => event.preventDefault() : null;
  for (const listener of listeners) listener();
}

// An upload from its first byte to its run: bytes into the store while they arrive, then the way every file takes (sources/intake.ts).
// A file is judged by its own pipeline. Where the field that names it comes after the file, the file is taken as long as any
// pipeline would take it, and judged by its own before anything is recorded.
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { judgeHead, type Sniffed, type StoredFile } from '../../engine/blobs/store-file.ts';
import { type Accepted, acceptFile, type Intake, type IntakeDeps } from '../../sources/intake.ts';
import { receiveUpload } from './receive-upload.ts';
import type { UploadLimits } from './upload-limits.ts';

export interface UploadDeps extends IntakeDeps {
  readonly limits: UploadLimits;
  /** Files of such a name are stored together, as one archive. */
  readonly packs?: (fileName: string) => boolean;
}

/** Which intake an upload is for. */
export interface UploadTarget<Answer extends Accepted> {
  /** Every intake it may be for, the most likely first. */
  readonly candidates: readonly Pick<Intake, 'sniff'>[];
  /** By the fields that have arrived; undefined while they do not say. */
  readonly soFar: (fields: ReadonlyMap<string, string>) => Intake<z.ZodType, Answer> | undefined;
  /** By all its fields; throws when they name none. */
  readonly choose: (fields: ReadonlyMap<string, string>) => Intake<z.ZodType, Answer>;
}

export interface Uploader {
  readonly tenantId: string;
  readonly createdBy?: string | undefined;
  readonly uploader?: { readonly name: string; readonly isAdmin: boolean } | undefined;
  readonly correlationId?: string | undefined;
  /** For pipelines without a key of their own. */
  readonly uniqueKeyOf?: (file: StoredFile) => string | undefined;
}

export interface AcceptedUpload<Answer> {
  readonly answer: Answer;
  readonly file: StoredFile;
  /** An earlier run that was given exactly these bytes. */
  readonly sameBytesAs: string | undefined;
}

/** For an upload whose address says which pipeline it is for. */
export function onlyFor<Answer extends Accepted>(intake: Intake<z.ZodType, Answer>): UploadTarget<Answer> {
  return { candidates: [intake], soFar: () => intake, choose: () => intake };
}

export async function acceptUpload<Answer extends Accepted>(
  deps: UploadDeps,
  request: Pick<FastifyRequest, 'raw'>,
  { uniqueKeyOf, ...uploader }: Uploader,
  { candidates, soFar, choose }: UploadTarget<Answer>,
): Promise<AcceptedUpload<Answer>> {
  let unjudged: Uint8Array | undefined;
  const sniff = (head: Uint8Array, name: string, fields: ReadonlyMap<string, string>) => {
    const intake = soFar(fields);
    if (intake !== undefined) return intake.sniff(head, name);
    unjudged = Uint8Array.from(head);
    return sniffByAny(candidates, head, name);
  };
  const packs = deps.packs === undefined ? {} : { packs: deps.packs };
  const target = { store: deps.store, tenantId: uploader.tenantId, sniff, ...packs };
  const received = await receiveUpload(request.raw, target, deps.limits);
  const fields = Object.fromEntries(received.fields);
  const { intake, file } = await judge(deps, received.file, unjudged, () => choose(received.fields));
  const given = { ...uploader, fields, file, at: new Date(), uniqueKey: uniqueKeyOf?.(file) };
  return { ...(await acceptFile(deps, intake, given)), file };
}

/** All fields are known now. `unjudged`: the first bytes of a file that arrived before them. */
async function judge<Answer extends Accepted>(
  { store }: UploadDeps,
  file: StoredFile,
  unjudged: Uint8Array | undefined,
  choose: () => Intake<z.ZodType, Answer>,
): Promise<{ readonly intake: Intake<z.ZodType, Answer>; readonly file: StoredFile }> {
  try {
    const intake = choose();
    if (unjudged === undefined) return { intake, file };
    return { intake, file: { ...file, ...judgeHead(intake.sniff, unjudged, file.originalName) } };
  } catch (error) {
    // It has no row yet. The sweeper takes it if this fails.
    await store.delete(file.storeKey).catch(() => undefined);
    throw error;
  }
}

/** The first that takes the file; when none does, the reason of the most likely one. */
function sniffByAny(candidates: readonly Pick<Intake, 'sniff'>[], head: Uint8Array, name: string): Sniffed {
  let reason: unknown;
  for (const { sniff } of candidates) {
    try {
      return sniff(head, name);
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason;
}

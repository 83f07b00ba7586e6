// The one way in. A pipeline that takes files declares an intake; multipart uploads, JSON rows, samples and watched folders all go through
// it, so that one set of rules says what a file may be, whether it is new, and what becomes of refused bytes.

import { z } from 'zod';
import { faultsIn } from '../contract/errors/faults-in.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { discardFile, findSameBytes, recordBlob } from '../engine/blobs/blobs.ts';
import type { Sniff, StoredFile } from '../engine/blobs/store-file.ts';
import type { BlobStore } from '../platform/blob/blob-store.ts';
import { type Pool, type Queryable, withTenant } from '../platform/database.ts';
import { refuseUnknownNames } from '../platform/known-names.ts';

/** A file with its fields, as it asks to become a run. */
export interface IntakeRequest<Fields> {
  readonly tenantId: string;
  readonly fields: Fields;
  readonly file: StoredFile;
  /** How old the content is: when a file of a folder was changed, else when it arrived. */
  readonly at: Date;
  /** An earlier run that was given exactly these bytes. */
  readonly sameBytesAs?: string | undefined;
  readonly createdBy?: string | undefined;
  /** Who asks, where a person or a program does: an admin may do what others may not. */
  readonly uploader?: { readonly name: string; readonly isAdmin: boolean } | undefined;
  readonly correlationId?: string | undefined;
  /** The source that has it, when no person uploaded it. Nobody can answer a conflict there: it is a refusal. */
  readonly sourceId?: string | undefined;
  /** Where exactly it lies, of an object at a managed source: its identity for pipelines whose things evolve at one place. */
  readonly origin?: Origin | undefined;
  /** Makes the run unique where the pipeline has no key of its own. */
  readonly uniqueKey?: string | undefined;
  readonly hold?: Hold | undefined;
}

/** Asked first in the transaction that makes a run or takes something away: throws if whoever asks has lost its turn to another. */
export type Hold = (tx: Queryable) => Promise<void>;

export interface Vanished {
  readonly tenantId: string;
  readonly uri: string;
  readonly sourceId: string;
  readonly hold?: Hold | undefined;
}

export interface Origin {
  /** s3://bucket/key, sftp://host/path, folder://source/path. */
  readonly uri: string;
  readonly kind: string;
}

export interface Accepted {
  readonly runId: string;
  readonly status: string;
  /** False: a run has this file already, and its bytes are not needed twice. */
  readonly created: boolean;
  /** Of a file that is there already: what was given with it and changed all the same. */
  readonly updated?: readonly string[];
}

export interface FileOfRows {
  readonly fields: unknown;
  readonly bytes: Buffer;
  readonly filename: string;
}

export interface Intake<Fields extends z.ZodType = z.ZodType, Answer extends Accepted = Accepted> {
  /** What the file is, in a word or two for a list. */
  readonly title: string;
  /** File extensions without the point. */
  readonly accepts: readonly string[];
  /** The form fields beside the file. */
  readonly fields: Fields;
  /** Says what the first bytes are, or throws the reason why the file is refused. */
  readonly sniff: Sniff;
  /** Rows sent as JSON as a file; left out, the pipeline takes files only. */
  fileOfRows?(body: unknown): FileOfRows;
  /** "FOLDER=PIPELINE:WORD" as fields; throws a sentence that says what the word may be. */
  folderFields?(word: string | undefined): z.input<Fields>;
  /** Before anything is recorded; throws to refuse. */
  check?(request: Omit<IntakeRequest<z.output<Fields>>, 'sameBytesAs'>): Promise<void> | void;
  /** Makes the run, or names the one that has the file. */
  accept(request: IntakeRequest<z.output<Fields>>): Promise<Answer>;
  /** What an object brought is no longer served, because it vanished from its source; nothing is deleted. Repeating it is harmless. */
  withdraw?(vanished: Vanished): Promise<void>;
  /** Errors by which a person's decision about an object refuses it, and which of these objects are still refused so. */
  readonly decided?: {
    readonly codes: readonly string[];
    among(tenantId: string, uris: readonly string[]): Promise<ReadonlySet<string>>;
  };
}

/** Gives an intake its types: the fields of a request are those of its schema. */
export function defineIntake<Fields extends z.ZodType, Answer extends Accepted = Accepted>(
  intake: Intake<Fields, Answer>,
): Intake<Fields, Answer> {
  return intake;
}

export interface IntakeDeps {
  readonly store: BlobStore;
  /** Its login may become millrace_app: rows are written under the tenant's own policy. */
  readonly pool: Pool;
  /** Runs as millrace_engine; only used to take back bytes. */
  readonly control: Queryable;
}

/** Refusals after which there is certainly no run. */
const refusals = new Set(['input', 'conflict', 'auth', 'config']);

/**
 * A stored file becomes a run: checked, recorded, accepted, in this order, so that nothing can claim a run whose bytes are not there. A
 * refusal keeps nothing; a crash keeps an orphan that the sweeper removes. The run may exist although `accept` failed (an answer
 * lost after commit), so bytes are only taken back when the refusal says that there is none.
 */
export async function acceptFile<Fields extends z.ZodType, Answer extends Accepted>(
  { store, pool, control }: IntakeDeps,
  intake: Pick<Intake<Fields, Answer>, 'fields' | 'check' | 'accept'>,
  given: Omit<IntakeRequest<unknown>, 'sameBytesAs'>,
): Promise<{ readonly answer: Answer; readonly sameBytesAs: string | undefined }> {
  const { tenantId, file, createdBy } = given;
  try {
    const request = { ...given, fields: parseFields(intake.fields, given.fields) };
    await intake.check?.(request);
    const sameBytesAs = await withTenant(pool, { tenantId, role: 'millrace_app' }, async (db) => {
      await recordBlob(db, file, { createdBy });
      return (await findSameBytes(db, file))?.runId;
    });
    const answer = await intake.accept({ ...request, sameBytesAs });
    // The run that is named has its own copy. The sweeper takes what cannot be taken back now.
    if (!answer.created) await discardFile(control, store, file).catch(() => undefined);
    return { answer, sameBytesAs };
  } catch (error) {
    if (error instanceof MillraceError && refusals.has(error.kind))
      await discardFile(control, store, file).catch(() => undefined);
    throw error;
  }
}

/** Fields of every upload: where a pipeline does not ask for them itself, they are read before its own. */
const common: readonly string[] = ['pipeline', 'filename', 'workspace_id', 'created_by'];

export function parseFields<Fields extends z.ZodType>(schema: Fields, given: unknown): z.output<Fields> {
  let fields = given;
  if (schema instanceof z.ZodObject) {
    const known = Object.keys(schema.shape);
    fields = omit(given as object, (name) => common.includes(name) && !known.includes(name));
    refuseUnknownNames('form field', Object.keys(fields as object), known);
  }
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  throw new MillraceError('upload_fields_invalid', { faults: faultsIn(result.error, 'fields') });
}

function omit(fields: object, isLeftOut: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name)));
}

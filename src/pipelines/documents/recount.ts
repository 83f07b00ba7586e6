// The receipt of a version, counted again: the pages from the stored bytes; their fates, chunks, tokens and passages from the tables. Whether a passage
// was embedded or reused nobody can tell afterwards: together they must be the passages that are there.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import type { DocumentsDeps } from './deps.ts';
import type { DocumentInput } from './input.ts';
import { withDocument } from './open-document.ts';
import { countChunks } from './sql/count-chunks.ts';
import { keepSession } from './sql/keep-session.ts';
import { countFates } from './sql/pages.ts';
import { findVersionOfRun } from './sql/read-documents.ts';

export async function recountDocument(
  run: RunFacts<DocumentInput>,
  tx: Queryable,
  deps: DocumentsDeps,
): Promise<Receipt> {
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (blob === undefined || blob.deleted_at !== null) throw new MillraceError('upload_file_gone', { run: run.id });
  const asked = run.input.pages ?? {};
  const read = await keepSession(tx, () =>
    withDocument(deps, blob, { format: run.input.source_type, asked }, async ({ facts }) => facts.pages),
  );
  const version = await findVersionOfRun(tx, run.tenantId, run.id);
  // The bytes were served already and the run's own version was not needed: its receipt is held to the one that is served.
  if (version === undefined) return { read, outcomes: run.receipt?.outcomes ?? {} };
  const { chunks, tokens, passages } = await countChunks(tx, run.tenantId, version);
  return {
    read,
    outcomes: await countFates(tx, run.tenantId, version),
    counts: {
      ...{ chunks_created: chunks, tokens_total: tokens, passages },
      embedded: passages - Number(run.receipt?.reused ?? 0),
    },
  };
}

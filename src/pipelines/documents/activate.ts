// Activation, one transaction: the version becomes ready, and served unless something newer of its source was observed. The old version
// leaves the search tables in the same moment. The artifact is written before under a passing name and gets its own after the commit.
import { artifactUri, publishArtifact, writeArtifact } from './artifact.ts';
import type { DocumentsDeps } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import { gradeOf } from './grade.ts';
import { type ProcessState, timed } from './process-state.ts';
import { keepBlobUntil } from './sql/keep-blob.ts';
import {
  deactivateOthers,
  deleteVersionOfRun,
  finishVersion,
  lockDocument,
  observeServed,
  readStanding,
  readVersionEnd,
  serveVersion,
} from './sql/versions.ts';

/** The file of a version stays until the document is purged. */
const FOR_EVER_DAYS = 36_500;

export async function activateVersion(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
): Promise<ProcessState> {
  const { run, input, commit } = context;
  const { tenantId } = run;
  const place = { folder: deps.artifacts, tenantId, docId: input.doc_id, versionId: from.versionId };
  let state = from;
  if (state.step === 'activate') {
    await writeArtifact(context, place, state);
    const { value, timings } = await timed(state, 'db_write_ms', async () => {
      let end: NonNullable<ProcessState['end']> = 'active';
      await commit(
        async (tx) => {
          await lockDocument(tx, input.doc_id);
          const standing = await readStanding(tx, tenantId, input.doc_id);
          if (standing.activeHash === input.content_hash && input.again !== true) {
            end = 'unchanged';
            await observeServed(tx, tenantId, input.doc_id, input.source_seq);
            await deleteVersionOfRun(tx, tenantId, run.id);
          } else {
            const { newestSeq, takenAwaySeq } = standing;
            const isNewest = input.source_seq >= (deps.activation === 'last-completed' ? takenAwaySeq : newestSeq);
            end = isNewest ? 'active' : 'superseded';
            const { grade, shares } = gradeOf(state.grade);
            const modelId = state.modelId ?? deps.embedder.facts.modelId;
            const { title } = input;
            await finishVersion(tx, tenantId, state, {
              grade,
              shares,
              modelId,
              title,
              artifactUri: artifactUri(place),
            });
            if (isNewest) {
              await deactivateOthers(tx, tenantId, input.doc_id, state.versionId);
              await serveVersion(tx, tenantId, state.versionId, modelId);
            }
          }
          // Of bytes that are served already one file is enough, and a purge finds it by its version.
          const isKept = deps.keepRaw === 'keep' && end !== 'unchanged';
          if (run.blobId !== null) await keepBlobUntil(tx, run.blobId, isKept ? FOR_EVER_DAYS : 0);
        },
        // How it ended is read back from the version when the answer is lost.
        { checkpoint: { ...state, step: 'done' } },
      );
      return end;
    });
    state = { ...state, step: 'done', end: value, timings };
  }
  if (state.end === undefined)
    state = { ...state, end: await commit((tx) => readVersionEnd(tx, tenantId, state.versionId)) };
  await publishArtifact(context, place, state);
  return state;
}

// The one stage of a document, in parts with a checkpoint each: pages (20 at a time) → chunks → vectors (64 passages at a time) → terms →
// activate. Killed anywhere, it goes on at its last part. What a failed run leaves behind is failures.ts's.
import type { StageOutcome } from '../../engine/pipeline.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { activateVersion } from './activate.ts';
import type { DocumentsDeps } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import { embedPassages } from './embed-passages.ts';
import { extractPages } from './extract-pages.ts';
import { indexTerms } from './index-terms.ts';
import { makeChunks } from './make-chunks.ts';
import { freshState, type ProcessState, receiptOf } from './process-state.ts';

export async function processDocument(context: DocumentContext, deps: DocumentsDeps): Promise<StageOutcome> {
  const startedAt = performance.now();
  let state = (await context.checkpoint<ProcessState>()) ?? freshState(uuidv7());
  if (state.step === 'pages') state = await extractPages(context, deps, state);
  if (state.step === 'chunks') state = await makeChunks(context, deps, state);
  if (state.step === 'vectors') state = await embedPassages(context, deps, state);
  if (state.step === 'terms') state = await indexTerms(context, state);
  if (state.step === 'activate' || state.step === 'done') state = await activateVersion(context, deps, state);
  logEnd(context, state, startedAt);
  return { on: 'complete', receipt: receiptOf(state) };
}

function logEnd({ run, input, log }: DocumentContext, state: ProcessState, startedAt: number): void {
  log.info(
    {
      ts: new Date(),
      event: 'ingest_job_complete',
      run_id: run.id,
      tenant_id: run.tenantId,
      doc_id: input.doc_id,
      status: 'succeeded',
      chunks_created: state.chunks,
      tokens_total: state.tokens,
      duration_ms: Math.round(performance.now() - startedAt),
      queue_wait_ms: Math.round(run.ageAtClaimMs),
      stages: state.timings,
    },
    'ingest_job_complete',
  );
}

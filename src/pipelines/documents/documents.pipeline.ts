// Documents: a file becomes exactly one version. One stage, because the specification's machine has one.
import { documents } from '../../contract/pipelines/documents/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import type { DocumentsDeps } from './deps.ts';
import { DocumentInput } from './input.ts';
import { processDocument } from './process.ts';
import { recountDocument } from './recount.ts';

/** Reading 20 scanned pages, or filling the search tables of a large document, takes minutes without a sign. */
const STALL_MS = 600_000;

export function documentsPipeline(deps: DocumentsDeps): Pipeline<DocumentInput> {
  return definePipeline<DocumentInput>({
    machine: documents,
    input: DocumentInput,
    stages: {
      process: { role: 'documents_worker', stallMs: STALL_MS, work: (context) => processDocument(context, deps) },
    },
    // Unique to an observation of the document: it keeps no second run away, it lets the live ones of a document be found.
    activeKey: ({ input }) => `${input.doc_id}:${input.source_seq}`,
    recount: (run, tx) => recountDocument(run, tx, deps),
    lostCode: 'worker_stopped_responding',
    announce: ['queued', 'started'],
    overdueAfterMs: deps.overdueAfterMs,
  });
}

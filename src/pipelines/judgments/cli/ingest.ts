// Batches of judgments from the command line. A batch that was submitted before is no error: the command says which run has it.
import type { IngestWay, Submitted } from '../../../cli/ingest/ingest-way.ts';
import type { AnswerOf, Client } from '../../../contract/api/client.ts';

export const judgmentsIngest: IngestWay = {
  options: [
    {
      flags: '--batch <id>',
      field: 'source_batch_id',
      about: 'the id of the batch; default: made from vendor and file name',
    },
    { flags: '--vendor <name>', field: 'vendor', about: 'who sent the file' },
    { flags: '--supersede', field: 'supersede', about: 'the file replaces an earlier one of the same batch' },
    { flags: '--policy <list>', field: 'policy', about: 'what an empty cell does, as column=keep|overwrite|clear,…' },
    {
      flags: '--on-doubt <what>',
      field: 'on_doubt',
      about: 'if Millrace is not sure how to read the file: ask (default), proceed or fail',
    },
  ],
  examples: [
    'millrace ingest simplicity.csv --pipeline judgments --batch simplicity-2026-01-07 --watch',
    'millrace rejects RUN --csv > rejects.csv, and corrected: millrace ingest rejects.csv --pipeline judgments --corrects RUN',
  ],
  async submit(call: Client, form: FormData): Promise<Submitted> {
    form.delete('pipeline');
    const batch = await call('batches.create', { body: form });
    const { source_batch_id: id, run_id: runId, same_bytes_as: twin } = batch;
    return {
      runId,
      answer: batch,
      sameBytesAs: twin?.source_batch_id ?? twin?.run_id,
      ...(batch.outcome === 'skipped' ? { isOver: true, line: skipped(batch) } : {}),
      called: `batch ${id}`,
    };
  },
};

function skipped({ source_batch_id: id, run_id: run, reason }: AnswerOf<'batches.create'>): string {
  return `Skipping duplicate ${id} (${reason}): run ${run}`;
}

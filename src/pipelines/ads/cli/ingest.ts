// Exports of ads from the command line: their options, and what their gate decided.
import { isThroughGate } from '../../../cli/ingest/describe-ingest.ts';
import type { Gate, IngestWay } from '../../../cli/ingest/ingest-way.ts';
import { plural } from '../../../cli/output.ts';
import { Platform } from '../../../contract/api/uploads.ts';

/** At least nine of ten rows must be valid. */
const PERCENT = 90;

const gate: Gate = {
  percent: PERCENT,
  describe(run) {
    const { outcomes = {}, read = 0 } = run.receipt ?? {};
    const heldBack = outcomes.held_back ?? 0;
    const rejected = outcomes.rejected ?? 0;
    if (heldBack > 0)
      return (
        `closed: ${plural(heldBack, 'valid row')} held back. Fix the file and upload it again, or store what is valid: ` +
        `millrace runs retry ${run.run_id} --force-partial`
      );
    if (run.phase === 'done' && read > 0 && !isThroughGate(read - rejected, read, PERCENT)) {
      // Rows that come back fixed pass one by one, whether or not anybody asked for it.
      const why = run.input?.corrects === undefined ? 'opened as asked (--force-partial)' : 'not asked for fixed rows';
      return `${why}: ${plural(read - rejected, 'valid row')} stored, the rest is rejected`;
    }
    return undefined;
  },
};

export const adsIngest: IngestWay = {
  options: [
    {
      flags: '--platform <name>',
      field: 'platform',
      about: `where the export comes from: ${Platform.options.join(', ')}`,
    },
    { flags: '--client <id>', field: 'client_id', about: 'the client it belongs to' },
    {
      flags: '--reported-at <time>',
      field: 'reported_at',
      about: 'when the numbers were reported; default: when the file was last changed',
      absent: ({ changedAt }) => changedAt.toISOString(),
    },
    { flags: '--force-partial', field: 'force_partial', about: 'store the valid rows even when too many were refused' },
    {
      flags: '--reading <json>',
      field: 'reading',
      about: 'how to read it where detection is wrong, e.g. {"encoding":"big5","date_order":"dmy"}',
    },
    {
      flags: '--on-doubt <what>',
      field: 'on_doubt',
      about: 'if Millrace is not sure how to read the file: ask (default), proceed or fail',
    },
    { flags: '--source <kind>', field: 'source', about: 'manual, api or webhook; default: api', absent: () => 'api' },
  ],
  examples: [
    'millrace ingest meta_june.csv --platform meta --watch',
    'MILLRACE_URL=https://millrace.example MILLRACE_TOKEN=… millrace ingest june.xlsx --platform google --json',
  ],
  gate,
};

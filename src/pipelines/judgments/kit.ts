// Court judgments: a batch is a file that is imported once.
import { defineKit } from '../kit.ts';
import { judgmentsAlerts } from './alert-rules.ts';
import { judgmentsStaging } from './cleanup.ts';
import { checkJudgments } from './cli/golden-path/doctor-check.ts';
import { addGoldenPathCommand } from './cli/golden-path.ts';
import { judgmentsIngest } from './cli/ingest.ts';
import { batchHandlers, judgmentsIntake } from './http/batch-handlers.ts';
import { judgmentsFileRows } from './http/file-rows.ts';
import { ingestSection } from './http/ingest-figures.ts';
import { judgmentsReadings } from './http/readings.ts';
import { judgmentsRejectTools } from './http/reject-tools.ts';
import { judgmentsPipeline } from './judgments.pipeline.ts';
import { judgmentsReporter } from './reporter.ts';

export const judgmentsKit = defineKit({
  name: 'judgments',
  title: 'Judgments',
  pipeline: ({ blobs }) => judgmentsPipeline({ store: blobs }),
  intake: ({ engine, log }) => judgmentsIntake(engine, log),
  rows: judgmentsFileRows,
  readings: ({ blobs }) => judgmentsReadings(blobs),
  rejects: ({ engine, blobs }) => judgmentsRejectTools(engine, blobs),
  handlers: ({ blobs, uploadLimits }) => batchHandlers({ store: blobs, limits: uploadLimits }),
  ingest: judgmentsIngest,
  commands: [{ group: 'Operating:', add: addGoldenPathCommand }],
  consumers: ({ log }) => [judgmentsReporter(log)],
  staging: judgmentsStaging,
  databaseRoles: ['judgments_import', 'judgments_cleanup'],
  samples: [
    {
      name: 'judgments',
      title: 'Court judgments',
      about: 'Lines above the header, a day that does not exist, a case twice, two people of one name.',
      file: new URL('../../../samples/judgments.csv', import.meta.url),
      fields: {},
    },
  ],
  figures: {
    // In the specification's sentences "Ingest" is this pipeline, and a run is called by the id of its batch.
    label: 'Ingest',
    runsBy: 'unique_key',
    staleAfter: ({ config }) => ({ atWorkSeconds: config.processingTimeoutHours * 3_600 }),
    sections: ingestSection,
  },
  alerts: judgmentsAlerts,
  doctor: [{ name: 'judgments', ask: checkJudgments }],
});

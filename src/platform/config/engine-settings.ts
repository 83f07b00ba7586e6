// Settings of the engine: how it claims, watches and gives up work. Every timing is a setting, so that tests can run at a small scale.
import { integer, optionalText } from './setting.ts';

export const engineSettings = {
  leaseSeconds: integer('LEASE_SECONDS', {
    min: 1,
    max: 3600,
    default: 60,
    unit: 'seconds',
    doc: 'After this long without a heartbeat a worker counts as dead and its runs are taken over.',
  }),
  heartbeatSeconds: integer('HEARTBEAT_SECONDS', {
    min: 1,
    max: 600,
    default: 10,
    unit: 'seconds',
    doc: 'How often a worker says that it is alive. At most half of LEASE_SECONDS.',
  }),
  pollIntervalMs: integer('POLL_INTERVAL_MS', {
    min: 10,
    max: 60_000,
    default: 5_000,
    unit: 'milliseconds',
    doc: 'How often an idle worker looks for work by itself. Normally it is woken at once; this covers lost wake-ups. Services that find nothing look four times less often.',
  }),
  workerConcurrency: integer('WORKER_CONCURRENCY', {
    min: 1,
    max: 1_000,
    default: 8,
    unit: 'runs',
    doc: 'How many runs one worker process works on at a time.',
  }),
  pipelineModules: optionalText('PIPELINE_MODULES', {
    doc: 'JavaScript modules with pipelines of your own, separated by commas; each exports pipelines and may export "prepare" for its tables.',
  }),
  noEndMinutes: integer('NO_END_MINUTES', {
    min: 1,
    max: 10_080,
    default: 15,
    unit: 'minutes',
    doc: 'While runs are due or active and none has ended or moved for this long, /ready says degraded and the doctor warns.',
  }),
  lostLimit: integer('LOST_LIMIT', {
    min: 1,
    max: 100,
    default: 5,
    unit: 'times',
    doc: 'A run whose worker died this often fails with worker_lost, so that one file cannot crash workers for ever.',
  }),
  doubtTimeoutHours: integer('DOUBT_TIMEOUT_HOURS', {
    min: 1,
    max: 8_760,
    default: 72,
    unit: 'hours',
    doc: 'A run that asks how to read its file, and gets no answer for this long, fails with reading_doubtful.',
  }),
  processingTimeoutHours: integer('PROCESSING_TIMEOUT_HOURS', {
    min: 1,
    max: 720,
    default: 1,
    unit: 'hours',
    doc: 'Judgments: a run that is active for longer, and whose lease has expired, is listed and alerted as stale.',
  }),
};

// What is sent in to be looked for, and the answers that may show it: secrets nobody may repeat, people only to the owner of the data.
import type { isolationMatrix } from '../support/isolation-matrix.ts';

export type OperationId = keyof typeof isolationMatrix;

export const secrets = {
  jwt: 'jwtCanary-7Qm4Zt9XbV2Lk8Rw3Ns6Yd1Hc5Pf0Gj',
  metrics: 'metricsCanary-4Tz8Wq2Lm6',
  discord: 'discordCanary-9Xc3Vb7Nm1',
  slack: 'slackCanary-2Hj6Kl0Pq4',
  routing: 'routingCanary8Rt5Yu1Io3',
  alertUrl: 'alertUrlCanary-6Sd9Fg2Hj',
  airbyte: 'airbyteCanary-3Zx7Cv1Bn5',
  password: 'passwordCanary-5Qw9Er3Ty7',
  guess: 'guessCanary-1Az5Sx9Dc3',
  tenantSink: 'tenantSinkCanary-8Vf2Bg6Nh',
  tenantRouting: 'tenantRoutingCanary4Mj8Ki',
  hook: 'hookCanary-7Lo1Pz5Xa9',
  cookie: 'cookieCanary-3We7Rt1Yu5',
};
export const people = {
  plaintiff: 'Canary Plaintiffsson',
  defendant: 'Canary Defendantsson',
  email: 'canary.person@secret-canary.test',
  phone: '555-867-5309',
  ssn: '077-88-9966',
  address: '77 Canary Passage',
  campaign: 'Campaign of Canary Advertsson',
};
export const fileName = 'payroll-of-canary-filesson';

/** The owner of an endpoint is shown its address, to tell it from others; its signing secret is shown once. */
export const addressShown: ReadonlySet<OperationId> = new Set([
  'webhooks.create',
  'webhooks.list',
  'webhooks.show',
  'webhooks.update',
  'webhooks.rotate',
  'webhooks.enable',
  'webhooks.disable',
]);

const rows = 'rows of a file, to those who may correct them';
const data = 'what was imported, to its owner';
const file = 'the name the owner gave the file';
const sample = 'the head of the file, to see whether it is read as it should be';

/** Answers that show rows, names of files or what a person typed to their owner, because that is what they are for. */
export const shownToOwner: Partial<Record<OperationId, string>> = {
  'rejects.list': rows,
  'rejects.clusters': rows,
  'rejects.download': rows,
  'rejects.correct': rows,
  'runs.rows': rows,
  'ads.campaigns': data,
  'ads.ad-sets': data,
  'ads.ads': data,
  'ads.daily-metrics': data,
  'ads.provenance': data,
  'ads.passport': data,
  'judgments.list': data,
  'plaintiffs.list': data,
  'plaintiff-reviews.list': data,
  'runs.list': file,
  'runs.show': file,
  'ingestion-runs.list': file,
  'ingestion-runs.show': file,
  'ingestion-runs.retry': file,
  'uploads.list': file,
  'uploads.show': file,
  'batches.list': file,
  'batches.show': file,
  'dead-letters.list': file,
  'uploads.original': 'the file itself',
  'runs.reading': sample,
  'runs.override': sample,
  'runs.mapping': sample,
  'runs.map': sample,
  'uploads.reading': sample,
  'uploads.override': sample,
  'uploads.mapping': sample,
  'uploads.map': sample,
  'uploads.reread': sample,
  'batches.reading': sample,
  'batches.override': sample,
  'batches.mapping': sample,
  'batches.map': sample,
};

export const allSecrets = Object.values(secrets);
export const allPeople = [...Object.values(people), fileName];

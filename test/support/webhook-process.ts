// A process that delivers webhooks, for tests that kill it: it says "ready" and goes on until it is killed, or dies at its failpoint.

import { createDeliverer } from '../../src/outbound/webhooks/deliverer.ts';
import { createPool } from '../../src/platform/database.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';
import { quickWebhooks, testBox } from './webhooks.ts';

const { url, settings, failpoint } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  settings: object;
  failpoint?: string;
};
if (failpoint !== undefined) armFromText(failpoint);

const pool = createPool({
  url,
  role: 'millrace_engine',
  max: 4,
  applicationName: 'webhook process',
  connectTimeoutMs: 60_000,
});
createDeliverer({ pool, box: testBox, settings: { ...quickWebhooks, ...settings }, log: silentLog }).start();
process.stdout.write('ready\n');

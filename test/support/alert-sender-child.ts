// A process that evaluates and sends alerts until it dies at the failpoint it was given.

import { defaultAlertSettings } from '../../src/outbound/alerts/alert-settings.ts';
import { evaluateAlerts } from '../../src/outbound/alerts/evaluator.ts';
import { sendDue } from '../../src/outbound/alerts/sender.ts';
import { createPool } from '../../src/platform/database.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as { url: string; failpoint: string };
const pool = createPool({
  url: orders.url,
  role: 'millrace_engine',
  max: 2,
  applicationName: 'alert sender child',
  connectTimeoutMs: 60_000,
});
const settings = { ...defaultAlertSettings, allowPrivate: true, evaluateMs: 0, settleMs: 0 };
armFromText(orders.failpoint);
await evaluateAlerts(pool, settings);
await sendDue({ pool, box: createSecretBox(Buffer.alloc(32, 9)), log: silentLog, settings });
await pool.end();

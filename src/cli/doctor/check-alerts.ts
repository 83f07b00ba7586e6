// Checks that alerts reach somebody. A sink must be there, the last message must have arrived, and somebody must be looking.

import { countWorkersAlive } from '../../engine/reads/read-queue.ts';
import { readAlertSigns } from '../../outbound/alerts/sql/read-alert-signs.ts';
import type { Queryable } from '../../platform/database.ts';
import { plural } from '../output.ts';
import { formatDuration } from '../times.ts';
import type { Finding } from './finding.ts';

const check = 'alerts';
const LATE_S = 600;

/** `isTrial`: reachable from this machine only, with a database of its own; there it is no fault that nobody is told. */
export async function checkAlerts(db: Queryable, isTrial: boolean): Promise<Finding> {
  const { sinks, failing, undelivered, waiting_s: waitingS, evaluated_s: evaluatedS } = await readAlertSigns(db);
  if (sinks === 0)
    return {
      check,
      state: isTrial ? 'ok' : 'warn',
      detail: 'no sink is configured: nobody is told when a job fails',
      fix: 'Set DISCORD_WEBHOOK_URL, SLACK_WEBHOOK_URL, PAGERDUTY_ROUTING_KEY or ALERT_WEBHOOK_URL; or "millrace alerts sinks add".',
    };
  if (failing.length > 0)
    return {
      check,
      state: 'warn',
      detail: `the last message did not arrive at ${failing.map(({ name, code }) => `${name} (${code})`).join(', ')}`,
      fix: 'Check the address or key at the receiver, then "millrace alerts test SINK".',
    };
  if ((evaluatedS === null || evaluatedS > LATE_S) && (await countWorkersAlive(db)) > 0)
    return {
      check,
      state: 'warn',
      detail: 'no process has evaluated the alert rules for a while',
      fix: 'Run "millrace start", "millrace worker" or "millrace scheduler" of this version: they evaluate the rules.',
    };
  if ((waitingS ?? 0) > LATE_S || undelivered > 0)
    return {
      check,
      state: 'warn',
      detail: `${plural(undelivered, 'alert')} given up in the last day, the oldest waits for ${formatDuration((waitingS ?? 0) * 1_000)}`,
      fix: '"millrace alerts sinks" shows which receiver fails.',
    };
  return { check, state: 'ok', detail: `${plural(sinks, 'sink')}, every message has arrived` };
}

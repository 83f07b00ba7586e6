// The check of judgments in `millrace doctor`.
import type { Finding } from '../../../../cli/doctor/finding.ts';
import type { Queryable } from '../../../../platform/database.ts';
import { checkTables } from './table-checks.ts';

/** What must hold for batches to land once. */
export async function checkJudgments(db: Queryable): Promise<Finding> {
  const checks = await checkTables(db);
  const broken = checks.filter(({ isHeld }) => !isHeld);
  if (broken.length === 0)
    return {
      check: 'judgments',
      state: 'ok',
      detail: 'unique keys, status guard and grants in place, no batch is stale',
    };
  const isOnlyStale = broken.every(({ name }) => name === 'No Stale Runs');
  return {
    check: 'judgments',
    state: isOnlyStale ? 'warn' : 'fail',
    detail: broken.map(({ name, detail }) => `${name}: ${detail}`).join('; '),
    fix: isOnlyStale
      ? 'They are taken over as soon as a worker or scheduler runs: "millrace worker".'
      : 'Put back what db/migrations/0020_judgments.sql makes, then run "millrace golden-path --env dev".',
  };
}

// Does accepted work move on? Runs must end, their ends must be written down, and every lease must have a living worker.
import { readSigns } from '../../engine/reads/read-signs.ts';
import { whatStands } from '../../engine/standing-work.ts';
import type { Queryable } from '../../platform/database.ts';
import { plural } from '../output.ts';
import type { Finding } from './finding.ts';

const check = 'progress';

export async function checkProgress(db: Queryable, noEndMinutes: number): Promise<Finding> {
  const signs = await readSigns(db);
  const standing = whatStands(signs, noEndMinutes);
  if (standing !== undefined)
    return {
      check,
      state: 'fail',
      detail: standing,
      fix: 'Look at the log of the workers and at pg_stat_activity for a statement that waits; "millrace runs list --phase active" names the runs. Restarting a worker gives its runs to others.',
    };
  if (signs.ownerless > 0)
    return {
      check,
      state: 'warn',
      detail: `${plural(signs.ownerless, 'run')} held by a worker that has ended, gone silent or is unknown`,
      fix: 'They are taken over as soon as a worker or scheduler runs: "millrace worker".',
    };
  if (signs.active === 0 && !signs.has_due) return { check, state: 'ok', detail: 'nothing is due' };
  return { check, state: 'ok', detail: `${plural(signs.active, 'run')} active, runs end` };
}

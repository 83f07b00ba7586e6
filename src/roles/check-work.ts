// Says in one sentence for /ready whether accepted work moves on. It asks the database at most every few seconds, however often /ready is called.
import { readSigns, type WorkSigns } from '../engine/reads/read-signs.ts';
import { whatStands } from '../engine/standing-work.ts';
import type { ReadyCheck } from '../http/app-deps.ts';
import { NotMoving } from '../http/routes/system/ready.ts';
import type { Queryable } from '../platform/database.ts';

const KEEP_MS = 5_000;

export function checkWork(control: Queryable, noEndMinutes: number): ReadyCheck {
  let kept: { readonly at: number; readonly signs: Promise<WorkSigns> } | undefined;
  return async () => {
    if (kept === undefined || performance.now() - kept.at > KEEP_MS) {
      const signs = readSigns(control);
      kept = { at: performance.now(), signs };
      signs.catch(() => {
        kept = undefined;
      });
    }
    const standing = whatStands(await kept.signs, noEndMinutes);
    if (standing !== undefined) throw new NotMoving(standing);
    return undefined;
  };
}

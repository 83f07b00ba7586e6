// Takes half-written artifacts away. In every process that may write them: the folder may be the process's own.
import { createLoop, type Service } from '../../engine/services/loop.ts';
import type { Log } from '../../platform/log.ts';
import { sweepArtifacts } from './artifact.ts';

const EVERY_MS = 3_600_000;
/** Nobody writes at one for so long. */
const OLDER_THAN_MS = 24 * EVERY_MS;

export function createArtifactSweeper({ folder, log }: { readonly folder: string; readonly log: Log }): Service {
  return createLoop({
    name: 'documents artifacts',
    everyMs: EVERY_MS,
    log,
    tick: async () => {
      const removed = await sweepArtifacts(folder, OLDER_THAN_MS);
      if (removed > 0) log.info({ removed }, 'half-written artifacts were removed');
      return undefined;
    },
  });
}

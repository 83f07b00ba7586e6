// The services alone: rescue, due runs, schedules, outbox, pruning. Any number of other processes may run them at the same time.
import { describeInstallation, openInstallation, startSweeper } from './installation.ts';
import { startAlerts } from './open-alerts.ts';
import type { RoleProcess, Started } from './role-process.ts';
import { startStatus } from './start-status.ts';
import { startWatchedFolders } from './watched-folders.ts';

export async function startScheduler(process: RoleProcess): Promise<Started> {
  const installation = await openInstallation(process);
  await installation.engine.start({ services: true });
  startSweeper(process, installation);
  await startAlerts(process, installation);
  await startWatchedFolders(process, installation);
  return {
    ...describeInstallation(process.config, installation),
    ...(await startStatus(process, installation, 'scheduler')),
  };
}

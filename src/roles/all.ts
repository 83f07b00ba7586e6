// Everything in one process: api, worker, scheduler and console. What `millrace start` runs.
import { describeInstallation, openInstallation, startSweeper } from './installation.ts';
import { pipelinesApart } from './kits.ts';
import { startAlerts } from './open-alerts.ts';
import { openApi } from './open-api.ts';
import type { RoleProcess, Started } from './role-process.ts';
import { startWatchedFolders } from './watched-folders.ts';

export async function startAll(process: RoleProcess): Promise<Started> {
  const installation = await openInstallation(process);
  await installation.engine.start({
    worker: true,
    services: true,
    leaves: pipelinesApart(installation.kits, process.config),
  });
  startSweeper(process, installation);
  await startAlerts(process, installation);
  const { url, login } = await openApi(process, installation);
  // After the first tenant has been made: a folder may leave it out.
  await startWatchedFolders(process, installation);
  return { ...describeInstallation(process.config, installation), url: process.config.publicUrl ?? url, login };
}

// A worker and the services. The services are safe in every process, so that one worker process is a whole installation.
import { queueDueWork } from '../engine/due-work.ts';
import { countClaimable } from '../engine/reads/count-claimable.ts';
import { waitAtMost } from '../platform/wait.ts';
import { describeInstallation, type Installation, openInstallation, startSweeper } from './installation.ts';
import { pipelinesApart } from './kits.ts';
import { startAlerts } from './open-alerts.ts';
import type { RoleProcess, Started } from './role-process.ts';
import { startStatus } from './start-status.ts';
import { startWatchedFolders } from './watched-folders.ts';

const LOOK_EVERY_MS = 200;

export async function startWorker(process: RoleProcess): Promise<Started> {
  const { started, installation } = await openWorker(process);
  return { ...started, ...(await startStatus(process, installation, 'worker')) };
}

/** Works until nothing is left that is due now, then returns. Runs planned for later stay. */
export async function workOnce(process: RoleProcess, onStarted: (started: Started) => void): Promise<void> {
  const { started, installation } = await openWorker(process);
  onStarted(started);
  const { pools, engine } = installation;
  const left = pipelinesApart(installation.kits, process.config);
  const pipelines = [...engine.registry.keys()].filter((name) => !left.includes(name));
  await queueDueWork(pools.control, engine.registry, process.log);
  engine.wake();
  while (!process.shutdown.stopping.aborted && (await countClaimable(pools.control, pipelines)) > 0)
    await waitAtMost(LOOK_EVERY_MS, process.shutdown.stopping);
}

async function openWorker(process: RoleProcess): Promise<{ started: Started; installation: Installation }> {
  const installation = await openInstallation(process);
  await installation.engine.start({
    worker: true,
    services: true,
    leaves: pipelinesApart(installation.kits, process.config),
  });
  startSweeper(process, installation);
  await startAlerts(process, installation);
  await startWatchedFolders(process, installation);
  return { started: describeInstallation(process.config, installation), installation };
}

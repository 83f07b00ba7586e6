// The API alone: it accepts work and answers requests; other processes do the work.
import { describeInstallation, openInstallation } from './installation.ts';
import { openApi } from './open-api.ts';
import type { RoleProcess, Started } from './role-process.ts';

export async function startApiRole(process: RoleProcess): Promise<Started> {
  const installation = await openInstallation(process);
  // Only the ear for wake-ups: live feeds must hear of events that other processes make.
  await installation.engine.start({});
  const { url, login } = await openApi(process, installation);
  return { ...describeInstallation(process.config, installation), url: process.config.publicUrl ?? url, login };
}

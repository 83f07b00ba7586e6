// Opens the installation that the configuration names while a command runs.
import type { Toolbox } from '../cli/connection.ts';
import { createAppPool } from '../roles/app-pool.ts';
import { type Installation, openInstallation } from '../roles/installation.ts';
import { createToolProcess, type RoleProcess } from '../roles/role-process.ts';
import { createRunService, type RunService } from '../roles/run-service.ts';
import { readConfiguration } from './configuration.ts';

export interface OpenToolbox extends Toolbox {
  readonly process: RoleProcess;
  readonly installation: Installation;
  readonly runs: RunService;
}

const OPERATOR = 'operator';

export async function withToolbox<T>(work: (tools: OpenToolbox) => Promise<T>): Promise<T> {
  const tools = await openToolbox();
  try {
    return await work(tools);
  } finally {
    await tools.process.shutdown.stop('done');
  }
}

export async function openToolbox(): Promise<OpenToolbox> {
  const config = readConfiguration();
  const process = createToolProcess(config);
  try {
    const installation = await openInstallation(process);
    const { engine } = installation;
    const app = createAppPool(config, installation.database, process.log);
    process.shutdown.add('connections', () => app.end());
    return { config, process, installation, app, engine, runs: createRunService(engine, OPERATOR) };
  } catch (error) {
    await process.shutdown.stop('could not start');
    throw error;
  }
}

// The configuration of a process: Millrace's own settings and those of the pipelines that come with it.
import { kits } from '../pipelines/all.ts';
import { type Config, loadConfig, type SettingGroup } from '../platform/config.ts';

export function readConfiguration(env: NodeJS.ProcessEnv = process.env): Config {
  const groups = kits.flatMap(({ settings }): SettingGroup[] => (settings === undefined ? [] : [settings]));
  return loadConfig(env, groups);
}

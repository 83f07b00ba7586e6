// docs/configuration.md: every setting, from the schema that reads it.
import type { z } from 'zod';
import { kits } from '../../src/pipelines/all.ts';
import { type SettingInfo, settingInfo } from '../../src/platform/config/setting.ts';
import { otherVariables, settingGroups } from '../../src/platform/config.ts';
import { code, generatedNote, table } from './markdown.ts';

export function configurationPage(): string {
  const ofKits = kits.flatMap(({ settings }) =>
    settings === undefined ? [] : [[settings.title, settings.shape] as const],
  );
  const groups = [...Object.entries(settingGroups), ...ofKits].map(([title, settings]) => {
    const infos = Object.values(settings).map((schema) => settingInfo.get(schema as z.ZodType) as SettingInfo);
    return `## ${title}\n\n${table(['variable', 'default', 'takes', 'what it does'], infos.map(settingRow))}`;
  });
  const others = Object.entries(otherVariables).map(([name, doc]) => [code(name), doc]);
  return `${generatedNote}
# Configuration

Millrace is configured by environment variables, read once when a process starts. None is needed: without any, \`millrace start\`
runs on this machine only, with an embedded database. A wrong configuration gives one message that lists every fault and ends
the process with exit code 78. Source: \`src/platform/config/\`.

${groups.join('\n\n')}

## Variables that are not settings of the server

${table(['variable', 'what it is for'], others)}
`;
}

function settingRow({ env, default: shown, takes, unit, doc, secret }: SettingInfo): string[] {
  const isValue = !/[ ]/.test(shown) && shown !== '';
  const value = shown === '' ? 'empty' : isValue ? code(shown) : shown;
  return [code(env), value, unit === undefined ? takes : `${takes}, in ${unit}`, secret ? `${doc} Secret.` : doc];
}

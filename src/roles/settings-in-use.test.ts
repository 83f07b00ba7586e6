// Every setting has a reader: one that nobody reads promises something that does not happen.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { settingsByKey } from '../platform/config.ts';

const source = fileURLToPath(new URL('..', import.meta.url));
/** Where the configuration is handed to whoever needs a part of it. Elsewhere the same word may be the field of something else. */
const readers = ['roles', 'cli', 'platform', 'outbound'];

/** Of a specification whose pipeline reads them when it is installed. */
const ofDocuments = ['crashGuardQueuedTtlHours', 'crashGuardRunningStaleMin'];

function textOfReaders(): string {
  return readers
    .flatMap((folder) =>
      readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith(path.join('platform', 'config')),
    )
    .map((name) => readFileSync(path.join(source, name), 'utf8').replace(/^\s*\/\/.*$/gm, ''))
    .join('\n');
}

it('every setting of the configuration is read somewhere', () => {
  const text = textOfReaders();
  const isRead = (key: string) => new RegExp(`[.{,]\\s*${key}\\b`).test(text);
  expect(
    settingsByKey()
      .map(([key]) => key)
      .filter((key) => !isRead(key) && !ofDocuments.includes(key)),
  ).toEqual([]);
  expect(isRead('aSettingThatNobodyReads')).toBe(false);
});

// docs/documents-checklist.md names a test for each line of the specification's checklist: each of them must be there.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const rows = readFileSync(`${root}docs/documents-checklist.md`, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, what, title, file] = /^\| (.+?) \| `(.+?)` \| (\S+) \|$/.exec(line) ?? [];
    return what === undefined ? [] : [{ what, title: title ?? '', file: file ?? '' }];
  });

describe('the checklist of documents', () => {
  it('has its lines', () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
  });

  it.each(rows)('$what', ({ title, file }) => {
    expect(readFileSync(`${root}${file}`, 'utf8')).toContain(`it('${title}'`);
  });
});

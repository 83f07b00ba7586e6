// Text of a PDF as it stands on its page: the library's Markdown is taken off, what the page itself prints stays.
import { expect, it } from 'vitest';
import { languageOf } from '../language.ts';
import { plainText, textLayerOf } from './plain-text.ts';

const read = (rendered: string, page: string) => plainText(rendered, textLayerOf(page));

it.each([
  ['emphasis', '*Declaring relationships explains it.*', 'Declaring relationships explains it.'],
  ['strong text', 'see **section 4** first', 'see section 4 first'],
  ['code', 'edit `debian/rules` there', 'edit debian/rules there'],
  [
    'escaped characters',
    'the debconf\\_specification and DEB\\_\\*\\_ARCH',
    'the debconf_specification and DEB_*_ARCH',
  ],
  ['a backslash', "grep 'closes:\\\\s\\*'", "grep 'closes:\\s*'"],
])('%s that the library marks is read without the marks', (_, rendered, page) => {
  expect(read(rendered, page)).toBe(page);
});

it('marks that are printed on the page stay, however its lines are broken', () => {
  const page = 'Run `ls -l` and\nmultiply a * b, never\n* of a list.';
  expect(read('Run `ls -l` and multiply a * b, never * of a list.', page)).toBe(
    'Run `ls -l` and multiply a * b, never * of a list.',
  );
  expect(read('Run *quickly* `ls -l` and', `${page} quickly`)).toBe('Run quickly `ls -l` and');
});

it('a text that is written in another script is not taken for English because of the commands it quotes', () => {
  const quoted = 'the list of the packages in the archive is in the file and to be read from it ';
  expect(languageOf(quoted.repeat(3)).language).toBe('english');
  const arabic = 'يجب أن تعطى قائمة بمصادر الحزمة المستودعات الملف سوف يدرج المستودعات المختلفة التي تنشر حزم دبيان ';
  expect(languageOf(quoted.repeat(3) + arabic.repeat(6))).toEqual({ language: null, config: 'simple' });
});

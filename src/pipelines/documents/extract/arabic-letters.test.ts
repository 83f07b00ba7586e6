// Arabic words that come with their letters reversed are turned; pages that come as they are read are left alone.
import { expect, it } from 'vitest';
import { judgeLetters } from './arabic-letters.ts';

const sentence = 'يجب على مدير النظام أن يثبت الحزمة من المستودعات المختلفة التي تنشرها دبيان في المدينة الكبيرة';
const turned = (text: string) =>
  text
    .split(' ')
    .map((word) => [...word].reverse().join(''))
    .join(' ');

it('a page as it is read is not touched, and nothing is in doubt', () => {
  expect(judgeLetters(sentence)).toEqual({ turn: undefined, doubt: 0 });
  expect(judgeLetters('Records are kept for ten years.').doubt).toBe(0);
});

it('words that are reversed are turned, beside words that are not', () => {
  const mixed = sentence
    .split(' ')
    .map((word, at) => (at % 3 === 1 ? word : turned(word)))
    .join(' ');
  const { turn, doubt } = judgeLetters(mixed);
  expect(turn?.(mixed)).toBe(sentence);
  expect(doubt).toBeLessThan(0.3);
});

it('marks stay behind the letter they belong to, numbers and other scripts where they are', () => {
  const page = `${turned(sentence)} ${turned(sentence)}`;
  const { turn } = judgeLetters(page);
  expect(turn?.('ةَنيدملا')).toBe('المدينةَ');
  expect(turn?.('Millrace 2026')).toBe('Millrace 2026');
});

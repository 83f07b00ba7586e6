// Parts of search that need no database: the syntax of a query, slips, fusion, sentences of a model while it writes, quotes, follow-ups.
import { describe, expect, it } from 'vitest';
import { readQuestions } from '../cli/read-questions.ts';
import type { Embedder } from '../embedding/embedder.ts';
import { findQuote } from './cite.ts';
import { QuestionEmbedders } from './embed-question.ts';
import { quotableSpans } from './evidence.ts';
import { carryWords } from './follow-up.ts';
import { fusionOf } from './fuse.ts';
import { SentenceSplitter } from './llm/split-answer.ts';
import { nearestTerm, slipsBetween } from './nearest-term.ts';
import { parseQuery } from './parse-query.ts';

describe('a query', () => {
  it('has phrases and excluded words; everything else in it is words', () => {
    expect(parseQuery('  backups "seven years" -draft re-use -- or 1=1;')).toMatchObject({
      text: 'backups seven years re-use -- or 1=1;',
      phrases: ['seven years'],
      excluded: ['draft'],
      words: ['backups', 'seven', 'years', 're-use', 'or', '1=1;'],
    });
  });

  it('of a whole paragraph has no marks of a search: its quotes and dashes are those of its author', () => {
    const prose = `${'what was written on how people look for things '.repeat(4)} by "distances" -between "border authors"`;
    expect(parseQuery(prose)).toMatchObject({ phrases: [], excluded: [] });
    expect(parseQuery(prose)?.words).toEqual(expect.arrayContaining(['"distances"', '-between']));
    expect(parseQuery('what was written on "border authors" -schools')).toMatchObject({
      phrases: ['border authors'],
      excluded: ['schools'],
    });
  });

  it('in ideographs has a word for each pair of them', () => {
    expect(parseQuery('备份 多久 backup保存几年')?.words).toEqual(['备份', '多久', 'backup', '保存', '存几', '几年']);
  });

  it('without a letter or digit is none', () => {
    expect(['', ' \t\u0000', '"" - ?!', '\u202e'].map(parseQuery)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of any length has at most two hundred words, and says how many were left out', () => {
    const long = Array.from({ length: 1_000 }, (_, at) => `w${at}`).join(' ');
    expect(parseQuery(long)).toMatchObject({ leftOut: 800 });
  });
});

describe('the model of a question', () => {
  const named = (modelId: string) => ({ facts: { modelId, dims: 8 } }) as unknown as Embedder;

  it('is the only one there is, or the one the tenant last searched with; of several, somebody must look', () => {
    const one = new QuestionEmbedders([named('a')], 1);
    const several = new QuestionEmbedders([named('a'), named('b')], 1);
    expect([one.likely('t'), several.likely('t')]).toEqual(['a', undefined]);
    for (const models of [one, several]) models.remember('t', 'b');
    expect([one.likely('t'), several.likely('t'), several.likely('u')]).toEqual(['b', 'b', undefined]);
  });
});

describe('slips', () => {
  it('are letters added, left out, changed or swapped', () => {
    const pairs = [
      ['word', 'word'],
      ['word', 'wrod'],
      ['word', 'words'],
      ['word', 'ward'],
      ['word', 'xyz'],
    ] as const;
    expect(pairs.map(([a, b]) => slipsBetween(a, b, 2))).toEqual([0, 1, 1, 1, 3]);
  });

  it('one is forgiven from four letters on, two from eight; numbers are taken as they are', () => {
    expect(nearestTerm('pasword', ['passenger', 'password'])).toBe('password');
    expect(nearestTerm('cat', ['car'])).toBeUndefined();
    expect(nearestTerm('retentoin', ['retention', 'detention'])).toBe('retention');
    expect(nearestTerm('2026', ['2025'])).toBeUndefined();
  });
});

it('fusion adds what words and vectors say in deviations from the mean, so that neither scale decides', () => {
  const chunks = [
    { lexical: 1_000, vector: 0.1 },
    { lexical: 900, vector: 0.2 },
    { lexical: 0, vector: 0.19 },
  ];
  const both = fusionOf(chunks, { vectorWeight: 0.5, usesLexical: true, usesVector: true });
  const scores = chunks.map((chunk) => both.score(chunk));
  expect(scores.indexOf(Math.max(...scores))).toBe(1);
  expect(both.score({ lexical: 900, vector: undefined })).toBeLessThan(both.score({ lexical: 900, vector: 0.11 }));
});

it('sentences of a model are whole once something follows them, with the citations on either side of the mark', () => {
  const splitter = new SentenceSplitter();
  expect(splitter.push('It takes 3.5 years [1')).toEqual([]);
  expect(splitter.push('][2]. Then ')).toEqual([{ text: 'It takes 3.5 years.', numbers: [1, 2] }]);
  expect(splitter.push('it ends. [3, 4] Done')).toEqual([{ text: 'Then it ends.', numbers: [3, 4] }]);
  expect(splitter.end()).toEqual([{ text: 'Done', numbers: [] }]);
});

it('a quote is found with other white space between its words, and not where it does not stand', () => {
  const page = 'One line\nof text (a+b).\n\nAnother.';
  expect(findQuote(page, 'line of text (a+b).')).toEqual({ start: 4, end: 23 });
  expect(findQuote(page, 'line of texts')).toBeUndefined();
});

it('text without capitals is cut at its marks, each piece standing in it as it is', () => {
  const text = `${'the flow past a flat plate is considered . '.repeat(20)}`.trim();
  const spans = quotableSpans(text);
  expect(spans.length).toBe(20);
  expect(spans.every(({ start, end }) => text.slice(start, end).startsWith('the flow') && end - start <= 320)).toBe(
    true,
  );
});

it('a follow-up carries the words before it; a question that stands for itself does not', () => {
  expect(carryWords('And in Germany?', 'How long are contracts kept')).toContain('contracts');
  expect(
    carryWords('Which department signs purchase orders above ten thousand euros', 'How long are contracts kept'),
  ).toBeNull();
});

it('questions of an evaluation are a CSV with quotes and line breaks; an empty document means it must be refused', () => {
  const text = '\uFEFFDocument,Question\r\npolicy.md,"How ""long""\nis it?"\r\n,Who won?\r\n\r\n';
  expect(readQuestions(text, 'q.csv')).toEqual([
    { line: 2, question: 'How "long"\nis it?', document: 'policy.md' },
    { line: 4, question: 'Who won?', document: undefined },
  ]);
  expect(() => readQuestions('a,b\n1,2', 'q.csv')).toThrow('no column "question"');
});

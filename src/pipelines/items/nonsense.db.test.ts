// Answers that no processor should give. Each is the trouble of its own row: the slice it came with is stored.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useItems } from '../../../test/support/items.ts';
import { defineProcessor, found, type Outcome, type ToldRequest } from './processors/processor.ts';

const half = '\ud800';
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
const given = (outcome: unknown) => outcome as Outcome;
const refusing = { kind: 'refused', reason: 'No.' };
const retrying = { kind: 'retry', reason: 'Later.', because: 'transient' };
const nothing = 'processor_answer_invalid';

/** What is answered, and the row's status and code in the end. */
const answers: Readonly<Record<string, readonly [Outcome, string, string | null]>> = {
  fine: [found({ word: 'fine' }), 'DONE', null],
  'half a character': [found({ word: `a${half}b` }), 'DONE', null],
  'a NUL': [found({ word: 'a\u0000b' }), 'DONE', null],
  'a NUL that is written out': [found({ word: '\\u0000' }), 'DONE', null],
  'keys that cannot be stored': [found({ word: { [`k\u0000${half}`]: 1 } }), 'DONE', null],
  'lists in lists': [found({ word: nested(400) }), 'DONE', null],
  'too many lists in lists': [found({ word: nested(600) }), 'ERROR', nothing],
  'far too many lists in lists': [found({ word: nested(5_000) }), 'ERROR', nothing],
  'too much': [found({ word: 'x'.repeat(2_000_000) }), 'ERROR', nothing],
  'an answer that cannot be stored': [found({ word: 'w' }, { answer: nested(5_000) }), 'DONE', null],
  'a strategy that is none': [given({ kind: 'found', result: { word: 'w' }, strategy: `\u0000${half}` }), 'DONE', null],
  'a strategy that is a number': [given({ kind: 'found', result: { word: 'w' }, strategy: 7 }), 'DONE', null],
  'no code': [given(refusing), 'ERROR', nothing],
  'a code with a NUL': [given({ ...refusing, code: 'a\u0000b' }), 'ERROR', 'a\ufffdb'],
  'a code that is an object': [given({ ...refusing, code: {} }), 'ERROR', nothing],
  'no reason': [given({ kind: 'skipped' }), 'ERROR', nothing],
  'a retry because of nothing': [given({ ...retrying, because: undefined }), 'ERROR', nothing],
  'a retry because of something': [given({ ...retrying, because: 'constructor' }), 'ERROR', nothing],
  'a retry after no number': [given({ ...retrying, afterMs: 'soon' }), 'ERROR', 'item_transient'],
  'a retry after NaN': [given({ ...retrying, afterMs: Number.NaN }), 'ERROR', 'item_transient'],
  'a retry before now': [given({ ...retrying, afterMs: -1e300 }), 'ERROR', 'item_transient'],
  'a retry after the end of time': [given({ ...retrying, afterMs: 1e300 }), 'ERROR', 'item_transient'],
  'a detail that is a number': [
    given({ kind: 'not_found', isFinal: true, detail: 7 }),
    'NOT_FOUND',
    'item_not_matched',
  ],
  'a kind of every object': [given({ kind: 'constructor' }), 'ERROR', nothing],
  'no outcome': [given(undefined), 'ERROR', nothing],
};
const told: readonly ToldRequest[] = [
  { provider: 'a\u0000b', ms: Number.NaN, outcome: half },
  { provider: 'p', ms: 1e300, outcome: 'x'.repeat(10_000) },
  { provider: 'p', ms: -7, outcome: 'ok' },
  {} as ToldRequest,
];

const babbling = defineProcessor<Record<string, never>>({
  name: 'babbling',
  version: 1,
  title: 'Says anything',
  options: z.strictObject({}),
  output: z.record(z.string(), z.unknown()),
  columns: [{ name: 'word', title: 'Word', type: 'text' }],
  strategies: ['plain'],
  async process(item, { tell }) {
    for (const each of told) tell(each);
    for (let n = 0; item.cells.word === 'fine' && n < 2_000; n += 1) tell({ provider: 'p', ms: 1, outcome: 'ok' });
    return answers[item.cells.word ?? '']?.[0] as Outcome;
  },
});

const bench = useItems({ processors: [babbling], settings: { maxAttemptsError: 1 } });

it('an answer that cannot be stored, or is none, is the trouble of its own row: all others of its slice are stored', async () => {
  const words = Object.keys(answers);
  const job = await bench.ended(await bench.submit(['word', ...words], { processor: 'babbling' }));
  expect(job).toMatchObject({ queue_state: 'DONE', total_items: words.length, pending_items: 0 });
  const items = await bench.items(job.jobId);
  expect(items.map(({ input, status, error_code: code }) => [input.word, status, code])).toEqual(
    words.map((word) => [word, answers[word]?.[1], answers[word]?.[2]]),
  );
  // One attempt each: nothing had to be done again because of a neighbour.
  expect(items.map(({ attempts }) => attempts)).toEqual(words.map(() => 1));
  const result = (word: string) => items[words.indexOf(word)].result.word;
  expect([result('half a character'), result('a NUL'), result('a NUL that is written out')]).toEqual([
    'a\ufffdb',
    'a\ufffdb',
    '\\u0000',
  ]);
  const { rows } = await bench.db.admin.query<{ requests: number; slowest: number; least: number }>(
    `select max(requests)::int as requests, max(slowest)::int as slowest, min(least)::int as least
     from (select count(*) as requests, max(ms) as slowest, min(ms) as least from search_events where job_id = $1 group by item_id) each_item`,
    [job.jobId],
  );
  expect(rows).toEqual([{ requests: 500, slowest: 86_400_000, least: 0 }]);
});

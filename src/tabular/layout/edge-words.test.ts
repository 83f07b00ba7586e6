import { describe, expect, it } from 'vitest';
import { textSource } from '../../../test/support/tables.ts';
import { readTable } from '../read-table.ts';
import { EdgeWords } from './edge-words.ts';
import { defaultTotalWords, firstWordsOfAll, saysAll, TotalLabels } from './total-words.ts';

const labels = new TotalLabels(defaultTotalWords);
const edges = new EdgeWords([...defaultTotalWords, ...firstWordsOfAll]);
const isLabel = (text: string) => labels.saysTotal(text) || saysAll(text);
const around = [
  (word: string) => word,
  (word: string) => word.toUpperCase(),
  (word: string) => `  ${word} `,
  (word: string) => `${word}: 5`,
  (word: string) => `${word} (12)`,
  (word: string) => `${word} – x`,
  (word: string) => `${word} devices`,
  (word: string) => `North ${word}`,
  (word: string) => `Zürich ${word}`,
  (word: string) => `${word}-x`,
];
const texts = [...defaultTotalWords, ...firstWordsOfAll].flatMap((word) => around.map((as) => as(word)));

describe('the words that a cell begins and ends with', () => {
  it('are never missed where a label of totals stands, whatever is written around it', () => {
    const found = texts.filter(isLabel);
    expect(found.length).toBeGreaterThan(300);
    expect(found.filter((text) => !edges.mayEdge(text))).toEqual([]);
  });

  it('are told from the bytes of a file as from its texts, also with quotes inside', async () => {
    const quoted = [...texts, 'say "all"', 'total "x"'].map((text) => `"${text.replaceAll('"', '""')}",1`);
    const table = await readTable(textSource(`Name,Cost\n${quoted.join('\n')}\n`), { overrides: { headerLines: [1] } });
    let seen = 0;
    for await (const batch of table.batches())
      for (let row = 0; row < batch.rowCount; row++) {
        seen++;
        expect([batch.text(row, 0), batch.mayEdge(row, 0, edges)]).toEqual([
          batch.text(row, 0),
          edges.mayEdge(batch.text(row, 0)),
        ]);
      }
    expect(seen).toBeGreaterThanOrEqual(texts.length);
  });

  it('are not seen in names, in empty cells and beyond the row', async () => {
    const names = ['Kettle 3000', 'Spring sale', 'SKU-1', 'Totally fine things', 'B 52', '', '   ', '12'];
    expect(names.filter((name) => edges.mayEdge(name))).toEqual([]);
  });
});

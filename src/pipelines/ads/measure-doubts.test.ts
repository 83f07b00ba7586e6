import { expect, it } from 'vitest';
import { textSource } from '../../../test/support/tables.ts';
import { applyChoices } from './mapping-choices.ts';
import { measureDoubts } from './measure-doubts.ts';
import { decideMapping, decideReading, type UploadChoices } from './reading.ts';

const text =
  'Day,Campaign name,Amount spent (USD),Outbound clicks\n2024-03-01,Alpha,12.50,10\n2024-03-02,Beta,7.25,5\n';

async function doubtsOf(choices: UploadChoices) {
  const reading = await decideReading(textSource(text), 'meta');
  const mapping = applyChoices(decideMapping(reading, 'meta', null), reading, choices);
  return measureDoubts(reading, mapping).map(({ code }) => code);
}

it('a measure that looks present and is not read is a doubt, unless somebody left its column out', async () => {
  expect(await doubtsOf({})).toEqual(['measure_unmapped']);
  expect(await doubtsOf({ without_columns: ['Outbound clicks'] })).toEqual([]);
});

it('a column of another currency alone is a doubt: the measure itself is missing', async () => {
  const names = 'Day,Campaign,Campaign ID,Cost (Converted currency),Converted currency code,Impr.,Clicks';
  const converted = async (header: string, ...cells: string[]) => {
    const source = textSource(`${header}\n2024-03-01,${cells.join()}\n2024-03-02,${cells.join()}\n`);
    const reading = await decideReading(source, 'google');
    return measureDoubts(reading, decideMapping(reading, 'google', null)).map(({ code }) => code);
  };
  expect(await converted(names, 'A', '1', '5.50', 'USD', '100', '7')).toEqual(['measure_unmapped']);
  expect(await converted(`${names},Cost`, 'A', '1', '5.50', 'USD', '100', '7', '6')).toEqual([]);
  expect(
    await converted('Day,Campaign,Campaign ID,Avg. cost,Interactions,Impr.,Cost', 'A', '1', '1', '2', '9', '6'),
  ).toEqual([]);
});

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

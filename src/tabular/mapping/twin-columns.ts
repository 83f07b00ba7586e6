// Two columns that may both be one field and hold different values: which one is read was decided by their order in the file. A column of the
// field's own name is no twin of one that has a synonym of it.
import type { Reading, ReadingDoubt } from '../reading.ts';
import type { AppliedMapping } from './applied-mapping.ts';
import type { FieldCatalogue } from './fields.ts';

/** `holding`: fields of which a wrong one would be a wrong meaning. */
export function twinDoubts(
  reading: Pick<Reading, 'columns'>,
  { columns, origin }: AppliedMapping,
  catalogue: FieldCatalogue,
  holding: ReadonlySet<string>,
): ReadingDoubt[] {
  if (origin === 'saved') return [];
  const examplesOf = (column: number) =>
    reading.columns.find(({ index }) => index === column)?.examples.join('\u001f') ?? '';
  return columns.flatMap(({ isTwin, offers, column, header }) => {
    const winner = columns.find(({ field }) => field !== null && field === offers[0]?.field);
    const isSame =
      winner === undefined || examplesOf(column) === examplesOf(winner.column) || examplesOf(column) === '';
    if (isTwin !== true || isSame || winner.field === null) return [];
    const title = catalogue.field(winner.field)?.title ?? winner.field;
    const told =
      header === winner.header
        ? `Two columns are named "${header}" and hold different values; the first one is read as ${title}.`
        : `"${winner.header}" and "${header}" may both be the ${title} and hold different values; "${winner.header}" is read.`;
    return [
      {
        code: 'column_twice' as const,
        message: `${told} Map the columns to read the other one.`,
        evidence: { for: ['it comes first'], against: [`"${header}" is known by that name as well`] },
        rowsAtStake: 0,
        lines: [],
        ...(holding.has(winner.field) ? { holds: true } : {}),
        answers: [{ label: `Read "${winner.header}" as ${title}`, overrides: {} }],
      },
    ];
  });
}

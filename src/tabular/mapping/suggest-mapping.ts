// Proposes a field for each column, with how sure it is and why: first the preset that fits the file best, then the field's own
// names, then names the tenant has mapped before, then names that differ in punctuation only. What merely looks right by its values is
// offered, never applied.
import { isRejectColumn } from '../csv/rejects-file.ts';
import type { Confidence } from '../decision.ts';
import type { ColumnReading } from '../reading.ts';
import { canHold, type FieldCatalogue, type FieldDefinition, type MappingPreset } from './fields.ts';
import { headerName } from './header-name.ts';
import type { ColumnMapping, FieldOffer } from './mapping.ts';
import { nothingTaught, type TaughtNames } from './taught-names.ts';

export interface MappingSuggestion {
  readonly columns: readonly ColumnMapping[];
  /** The preset that was recognised. */
  readonly preset: string | null;
  /** Required fields without a column. */
  readonly missing: readonly string[];
}

interface Match {
  readonly field: FieldDefinition | null;
  readonly confidence: Confidence;
  readonly reason: string;
  /** The column has the field's own name or the one in the preset, not a synonym that other things may have as well. */
  readonly isOwn?: boolean;
}

const rank: Readonly<Record<Confidence, number>> = { exact: 2, likely: 1, guess: 0 };

export function suggestMapping(
  columns: readonly ColumnReading[],
  catalogue: FieldCatalogue,
  presets: readonly MappingPreset[],
  taught: TaughtNames = nothingTaught,
): MappingSuggestion {
  const preset = bestPreset(columns, presets);
  const matches = columns.map((column) => matchColumn(column, catalogue, preset, taught));
  const winners = chooseWinners(matches);
  const taken = new Set([...winners.keys()]);
  const mapped = columns.map((column, index): ColumnMapping => {
    const { currency } = headerName(column.name);
    const base = { column: column.index, header: column.name, ...(currency === null ? {} : { currency }) };
    const match = matches[index] ?? null;
    const name = match?.field?.name;
    if (match !== null && name === undefined)
      return { ...base, field: null, confidence: match.confidence, reason: match.reason, offers: [] };
    if (match !== null && name !== undefined && match.confidence !== 'guess') {
      if (winners.get(name) === index) {
        return { ...base, field: name, confidence: match.confidence, reason: match.reason, offers: [] };
      }
      const offer = { field: name, confidence: match.confidence, reason: match.reason };
      return {
        ...base,
        field: null,
        confidence: null,
        reason: `another column is "${name}" already`,
        ...(isTwin(match, matches[winners.get(name) ?? -1]) ? { isTwin: true } : {}),
        offers: [offer],
      };
    }
    const offers = offersFor(column, match, catalogue, taken);
    return { ...base, field: null, confidence: null, reason: 'the name is not known', offers };
  });
  const fields = new Set(mapped.map((column) => column.field));
  const missing = catalogue.fields
    .filter((field) => field.isRequired && !fields.has(field.name))
    .map((field) => field.name);
  return { columns: mapped, preset: preset?.name ?? null, missing };
}

/** The preset that knows most of the file's columns, if it knows at least three or half of them. */
function bestPreset(columns: readonly ColumnReading[], presets: readonly MappingPreset[]): MappingPreset | null {
  const keys = new Set(columns.map((column) => headerName(column.name).key));
  let best: MappingPreset | null = null;
  let bestKnown = 0;
  for (const preset of presets) {
    const known = Object.keys(preset.columns).filter((name) => keys.has(headerName(name).key)).length;
    if (known > bestKnown) [best, bestKnown] = [preset, known];
  }
  return bestKnown >= 3 || bestKnown * 2 >= columns.length ? best : null;
}

function matchColumn(
  column: ColumnReading,
  catalogue: FieldCatalogue,
  preset: MappingPreset | null,
  taught: TaughtNames,
): Match | null {
  if (isRejectColumn(column.name))
    return { field: null, confidence: 'exact', reason: 'added to the file of refused rows' };
  const fromPreset = preset === null ? undefined : presetEntry(column, preset);
  if (preset !== null && fromPreset === null) {
    return { field: null, confidence: 'exact', reason: `a column of ${preset.title} that is not needed` };
  }
  const presetField = fromPreset === undefined || fromPreset === null ? undefined : catalogue.field(fromPreset);
  if (presetField !== undefined)
    return { ...weigh(column, presetField, 'exact', `named so in ${preset?.title ?? ''}`), isOwn: true };
  const exact = catalogue.byHeader(column.name);
  if (exact !== undefined) {
    const isOwn = headerName(column.name).key === headerName(exact.title).key;
    return { ...weigh(column, exact, 'exact', 'header match'), isOwn };
  }
  const before = taught.get(headerName(column.name).key);
  const beforeField = before === undefined ? undefined : catalogue.field(before.field);
  if (before !== undefined && beforeField !== undefined)
    return weigh(column, beforeField, 'exact', `mapped so in "${before.mapping}"`);
  const loose = catalogue.byLooseHeader(column.name);
  if (loose !== undefined) return weigh(column, loose, 'likely', 'header match apart from punctuation');
  const root = catalogue.byRoot(column.name);
  return root === undefined ? null : weigh(column, root, 'likely', 'header match apart from number, blanks and units');
}

/** The preset's field for the column; null when it is known and not needed, undefined when it is not known. */
function presetEntry(column: ColumnReading, preset: MappingPreset): string | null | undefined {
  const { key } = headerName(column.name);
  const name = Object.keys(preset.columns).find((candidate) => headerName(candidate).key === key);
  return name === undefined ? undefined : preset.columns[name];
}

/** Values of the wrong shape cost one step of confidence. */
function weigh(column: ColumnReading, field: FieldDefinition, confidence: Confidence, reason: string): Match {
  if (canHold(field, column.kind, column.dateOrder?.value === 'serial')) return { field, confidence, reason };
  const doubt = `${reason}, but its values look like ${column.kind}, not ${field.kind}`;
  return { field, confidence: confidence === 'exact' ? 'likely' : 'guess', reason: doubt };
}

/** Field → index of the column that gets it: the most certain, then the one of its own name, then the first in the file. */
function chooseWinners(matches: readonly (Match | null)[]): Map<string, number> {
  const winners = new Map<string, number>();
  matches.forEach((match, index) => {
    const name = match?.field?.name;
    if (match === null || name === undefined || match.confidence === 'guess') return;
    const rival = winners.get(name);
    const rivalRank = rival === undefined ? -1 : rankOf(matches[rival] ?? null);
    if (rankOf(match) > rivalRank) winners.set(name, index);
  });
  return winners;
}

/** Which of two columns is the field was a guess: nothing but their order in the file tells. */
function isTwin(match: Match, winner: Match | null | undefined): boolean {
  return rankOf(match) === rankOf(winner ?? null);
}

function rankOf(match: Match | null): number {
  return rank[match?.confidence ?? 'guess'] * 2 + Number(match?.isOwn === true);
}

/** Fields still free whose values would look like this column's. */
function offersFor(
  column: ColumnReading,
  match: Match | null,
  catalogue: FieldCatalogue,
  taken: ReadonlySet<string>,
): FieldOffer[] {
  const offers: FieldOffer[] = [];
  if (match?.field != null) offers.push({ field: match.field.name, confidence: 'guess', reason: match.reason });
  if (column.kind === 'empty' || column.kind === 'text') return offers;
  for (const field of catalogue.fields) {
    if (taken.has(field.name) || field.kind === 'text' || field.name === match?.field?.name) continue;
    const isSerial = column.dateOrder?.value === 'serial';
    if (canHold(field, column.kind, isSerial)) {
      offers.push({
        field: field.name,
        confidence: 'guess',
        reason: `its values look like ${isSerial ? 'date' : column.kind}`,
      });
    }
  }
  return offers.slice(0, 5);
}

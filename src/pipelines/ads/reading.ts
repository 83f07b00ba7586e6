// How an upload is read: its bytes, the decisions about its form, and which column is which field. Decided once, at the first
// attempt, and stored; every later attempt and every replay reads the file in exactly the same way.
import type { z } from 'zod';
import type { UploadChoices as ApiChoices } from '../../contract/api/reading.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { decided } from '../../tabular/decision.ts';
import type { AppliedMapping as Applied } from '../../tabular/mapping/applied-mapping.ts';
import { headerFingerprint } from '../../tabular/mapping/fingerprint.ts';
import { headerName } from '../../tabular/mapping/header-name.ts';
import { applyMapping, type ColumnMapping } from '../../tabular/mapping/mapping.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import { suggestMapping } from '../../tabular/mapping/suggest-mapping.ts';
import { nothingTaught, type TaughtNames } from '../../tabular/mapping/taught-names.ts';
import type { ColumnRoles, Reading, ReadingOverrides } from '../../tabular/reading.ts';
import { mapLike } from '../../tabular/returned-rows.ts';
import { sniffTable } from '../../tabular/sniff-table.ts';
import { decideDateOrder } from '../../tabular/values/date-order.ts';
import { adsFields, distinctive, type Platform, platforms, presets, segmentFields } from './fields.ts';
import { type ReportRange, rangeOfRows, statedRange } from './report-range.ts';

/** The mapping as it was applied to one file. */
export interface AppliedMapping extends Applied {
  readonly name: string | null;
  /** Rows are numbers over several days and stored as such, because somebody said so. */
  readonly period?: boolean;
  /** Rows with one key are parts of one number. */
  readonly addRepeated?: boolean;
  /** Names that several things have are stored as one more of its own. */
  readonly namesApart?: boolean;
  /** What must be mapped and is not, in words. */
  readonly missing: readonly string[];
}

/** Said for one file alone. */
export type UploadChoices = z.infer<typeof ApiChoices>;

/** Needed to store anything at all: one of each group. */
const needed: readonly { readonly words: string; readonly anyOf: readonly string[] }[] = [
  { words: 'the day', anyOf: ['metric_date', 'date_start'] },
  { words: 'a measure (spend, impressions or clicks)', anyOf: ['spend', 'spend_micros', 'impressions', 'clicks'] },
];

/** Looks at the file and decides how to read it. Columns that name things are known here, so totals are told from data by them. */
export async function decideReading(
  source: ByteSource,
  platform: Platform,
  options: {
    readonly fileName?: string | null | undefined;
    readonly overrides?: ReadingOverrides | undefined;
    readonly taught?: TaughtNames;
  } = {},
): Promise<Reading> {
  const { taught = nothingTaught } = options;
  const isKnown = adsFields.knownHeaders(platforms.flatMap((each) => presets[each]));
  const reading = await sniffTable(source, {
    isKnownHeader: (name) => isKnown(name) || taught.has(headerName(name).key),
    ...(options.fileName == null ? {} : { fileName: options.fileName }),
    ...(options.overrides === undefined ? {} : { overrides: options.overrides }),
    rolesOf: (columns) => rolesOf(suggestMapping(columns, adsFields, presets[platform], taught).columns),
  });
  const { columns } = suggestMapping(reading.columns, adsFields, presets[platform], taught);
  const naming = columns.filter(({ field }) => field !== null && /^(?:campaign|ad_set|ad)_(?:id|name)$/.test(field));
  const dated = withDateOrders(reading, columns);
  if (naming.length === 0) return dated;
  return { ...dated, totals: { ...dated.totals, identityColumns: naming.map(({ column }) => column) } };
}

/** Ids, names and days tell what a number is of; segments part it. */
function rolesOf(mapped: readonly ColumnMapping[]): ColumnRoles {
  const columnsOf = (isOf: (field: string) => boolean) =>
    mapped.filter(({ field }) => field !== null && isOf(field)).map(({ column }) => column);
  return {
    telling: columnsOf((field) => /^(?:campaign|ad_set|ad)_(?:id|name)$|^metric_date$|^date_start$/.test(field)),
    segments: columnsOf((field) => segmentFields.has(field)),
    areTotalsCompared: true,
  };
}

/**
 * In a short file the total row alone can make a column of days look like text. What is mapped to a day is a day; and where the days of one
 * column prove their order, the others are written in it: the first day of a report stands in every row and proves nothing by itself.
 */
export function withDateOrders(reading: Reading, mapped: readonly ColumnMapping[]): Reading {
  const dates = new Set(
    mapped.filter(({ field }) => field !== null && adsFields.field(field)?.kind === 'date').map(({ column }) => column),
  );
  const columns = reading.columns.map((column) => {
    if (column.dateOrder !== undefined || !dates.has(column.index)) return column;
    const dateOrder = decideDateOrder(column.examples);
    return dateOrder === null ? column : { ...column, dateOrder };
  });
  const ofDays = columns.filter(({ index }) => dates.has(index));
  const proofs = ofDays.filter(({ dateOrder: order }) => order?.confidence === 'exact' && order.value !== 'ymd');
  const [proof] = proofs;
  const order = proof?.dateOrder?.value;
  if (proof === undefined || order === undefined || proofs.some(({ dateOrder }) => dateOrder?.value !== order))
    return { ...reading, columns };
  const proven = decided(order, 'likely', `the dates of "${proof.name}" are written so`);
  const isOpen = ({ index, dateOrder }: Reading['columns'][number]) =>
    dates.has(index) && dateOrder?.value === 'unknown';
  return {
    ...reading,
    columns: columns.map((column) =>
      isOpen(column) ? { ...column, dateOrder: { ...proven, isAmbiguous: false } } : column,
    ),
  };
}

/** The tenant's own mapping for files with this header, else what presets, synonyms and its other mappings say. */
export function decideMapping(
  reading: Reading,
  platform: Platform,
  saved: SavedMapping | null,
  taught: TaughtNames = nothingTaught,
): AppliedMapping {
  const fingerprint = headerFingerprint(reading.header.value.names);
  if (saved !== null) {
    const columns = applyMapping(saved.mapping, reading.columns, saved.version);
    const constants = saved.mapping.constants ?? {};
    const { version, name } = saved;
    return { fingerprint, version, name, origin: 'saved', columns, constants, missing: missingIn(columns, constants) };
  }
  const { columns, preset } = suggestMapping(reading.columns, adsFields, presets[platform], taught);
  const origin = preset === null ? 'proposed' : 'preset';
  return { fingerprint, version: 0, name: preset, origin, columns, constants: {}, missing: missingIn(columns, {}) };
}

/** Refuses a file that is another platform's, that has no days, or whose columns do not say enough. */
export function requireUsable({ reading, mapping }: Read, platform: Platform): void {
  if (mapping.origin !== 'saved') refuseOtherPlatform(mapping.columns, platform);
  const range = mapping.period === true ? null : rangeWithoutDays(reading, mapping);
  if (range !== null) throw new MillraceError('report_without_days', { ...range });
  if (mapping.missing.length > 0)
    throw new MillraceError('mapping_incomplete', { missing: mapping.missing.join(', ') });
}

/** The mapping of one file on another with the same columns and perhaps more: a file of rejects that comes back corrected. */
export function mappingLike(original: AppliedMapping, reading: Reading): AppliedMapping {
  const columns = mapLike(original, reading);
  return { ...original, columns, missing: missingIn(columns, original.constants) };
}

export function fingerprintOf(reading: Reading): string {
  return headerFingerprint(reading.header.value.names);
}

interface Read {
  readonly reading: Reading;
  readonly mapping: AppliedMapping;
}

/** The range of a report that tells several days as one. */
function rangeWithoutDays(reading: Reading, { columns, constants }: AppliedMapping): ReportRange | null {
  const has = (field: string) => field in constants || columns.some((column) => column.field === field);
  if (has('metric_date')) return null;
  return has('date_start') ? rangeOfRows(reading, columns) : statedRange(reading);
}

export function missingIn(columns: readonly ColumnMapping[], constants: Readonly<Record<string, string>>): string[] {
  const mapped = new Set([...columns.map(({ field }) => field), ...Object.keys(constants)]);
  return needed.filter(({ anyOf }) => !anyOf.some((field) => mapped.has(field))).map(({ words }) => words);
}

function refuseOtherPlatform(columns: readonly ColumnMapping[], given: Platform): void {
  const keys = new Set(columns.map(({ header }) => headerName(header).key));
  const hitsOf = (platform: Platform) => distinctive[platform].filter((name) => keys.has(headerName(name).key));
  if (hitsOf(given).length > 0) return;
  for (const found of platforms) {
    const hits = hitsOf(found);
    if (hits.length >= 2)
      throw new MillraceError('wrong_platform', { given, found, headers: hits.slice(0, 3).join(', ') });
  }
}

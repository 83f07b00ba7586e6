// Rows on their way into staging: gathered column by column as binary arrays, handed over in one flush. Campaigns, ad sets and ads
// are staged once per key (and again when a later line gives another name or parent), not once per line.
import { BinaryArray, rememberDays } from '../../platform/binary-array.ts';
import { storableJson } from '../../platform/storable-text.ts';
import type { RowIssue } from '../../tabular/validation/row-issue.ts';
import { measures, wholeMeasures } from './fields.ts';
import { KeyWatch } from './key-watch.ts';
import type { KeyHasher } from './natural-key.ts';
import { daysOf, type Named, type NormalizedRow } from './normalize.ts';

export interface RowPlace {
  readonly rowIndex: number;
  readonly line: number;
  readonly offset: number;
}

/** Parameters of the three staging statements, in their order; null when there is nothing of that kind. */
export interface StagingFlush {
  readonly rows: number;
  readonly metrics: readonly Buffer[] | null;
  readonly dimensions: readonly Buffer[] | null;
  readonly invalid: readonly Buffer[] | null;
}

type Entity = 'campaign' | 'ad_set' | 'ad';

interface Staged {
  readonly externalId: string;
  readonly name: string | null;
  readonly campaign: string | null;
  readonly adSet: string | null;
}

/** Forgotten when full: a key staged twice is grouped by promotion anyway, memory is not. */
const MAX_REMEMBERED = 200_000;
const DAYS_REMEMBERED = 5_000;

export class StagingBuffer {
  readonly #keys: KeyHasher;
  readonly #metrics = metricColumns();
  readonly #dimensions = dimensionColumns();
  readonly #invalid = invalidColumns();
  /** External id → what it was staged with. */
  readonly #staged = {
    campaign: new Map<string, Staged>(),
    ad_set: new Map<string, Staged>(),
    ad: new Map<string, Staged>(),
  };
  /** The one staged or found last: exports are mostly sorted, and comparing two texts is cheaper than hashing one. */
  readonly #last: Record<Entity, Staged | undefined> = { campaign: undefined, ad_set: undefined, ad: undefined };
  readonly #dayOf = rememberDays(DAYS_REMEMBERED);
  readonly watch = new KeyWatch();

  constructor(keys: KeyHasher) {
    this.#keys = keys;
  }

  get rows(): number {
    return this.#metrics.rowIndex.length + this.#invalid.rowIndex.length;
  }

  addValid(place: RowPlace, row: NormalizedRow): void {
    const { campaign, adSet, ad } = row;
    const [campaignId, adSetId, adId] = [
      campaign?.externalId ?? null,
      adSet?.externalId ?? null,
      ad?.externalId ?? null,
    ];
    if (campaign !== null) this.#addDimension('campaign', campaign, place, campaignId, null, null);
    if (adSet !== null) this.#addDimension('ad_set', adSet, place, campaignId, adSetId, null);
    if (ad !== null) this.#addDimension('ad', ad, place, campaignId, adSetId, adId);
    const columns = this.#metrics;
    columns.rowIndex.pushInt4(place.rowIndex);
    const key = this.#keys.metric(daysOf(row), campaignId, adSetId, adId);
    this.watch.add(key);
    columns.hash.pushText(key);
    pushText(columns.rest, row.rest === null ? null : JSON.stringify(row.rest));
    columns.line.pushInt4(place.line);
    columns.offset.pushInt8(place.offset);
    columns.date.pushDay(this.#dayOf(row.date));
    pushText(columns.campaign, campaignId);
    pushText(columns.adSet, adSetId);
    pushText(columns.ad, adId);
    pushText(columns.currency, row.currency);
    for (let i = 0; i < measures.length; i++) pushMeasure(columns.measures[i] as BinaryArray, row.measures[i] ?? null);
  }

  addInvalid(place: RowPlace, raw: unknown, issues: readonly RowIssue[]): void {
    const columns = this.#invalid;
    columns.rowIndex.pushInt4(place.rowIndex);
    columns.hash.pushText(this.#keys.unreadable(place.line, place.offset));
    columns.raw.pushText(storableJson(raw));
    columns.errors.pushText(
      storableJson(
        issues.map(({ code, column, value, message, severity }) => ({ code, column, value, message, severity })),
      ),
    );
    columns.line.pushInt4(place.line);
    columns.offset.pushInt8(place.offset);
  }

  /** Everything gathered so far; the buffer is empty afterwards and can be filled while the flush is being written. */
  take(): StagingFlush {
    return {
      rows: this.rows,
      metrics: takeAll(this.#metrics),
      dimensions: takeAll(this.#dimensions),
      invalid: takeAll(this.#invalid),
    };
  }

  #addDimension(
    entity: Entity,
    named: Named,
    place: RowPlace,
    campaign: string | null,
    adSet: string | null,
    ad: string | null,
  ): void {
    const { externalId, name } = named;
    const last = this.#last[entity];
    if (last !== undefined && last.externalId === externalId && saysNothingNew(last, name, campaign, adSet)) return;
    const staged = this.#staged[entity];
    const known = staged.get(externalId);
    if (known !== undefined && saysNothingNew(known, name, campaign, adSet)) {
      this.#last[entity] = known;
      return;
    }
    if (staged.size >= MAX_REMEMBERED) staged.clear();
    const fresh = { externalId, name, campaign, adSet };
    staged.set(externalId, fresh);
    this.#last[entity] = fresh;
    const columns = this.#dimensions;
    columns.rowIndex.pushInt4(place.rowIndex);
    columns.entity.pushText(entity);
    columns.hash.pushText(this.#keys.dimension(entity, externalId));
    columns.raw.pushText(
      storableJson({ name: named.name, inferred: named.name === null, id_derived: named.isDerived }),
    );
    columns.line.pushInt4(place.line);
    columns.offset.pushInt8(place.offset);
    pushText(columns.campaign, campaign);
    pushText(columns.adSet, adSet);
    pushText(columns.ad, ad);
  }
}

function saysNothingNew(known: Staged, name: string | null, campaign: string | null, adSet: string | null): boolean {
  return (name === null || known.name === name) && known.campaign === campaign && known.adSet === adSet;
}

function metricColumns() {
  return {
    rowIndex: new BinaryArray('int4'),
    hash: new BinaryArray('text'),
    rest: new BinaryArray('text'),
    line: new BinaryArray('int4'),
    offset: new BinaryArray('int8'),
    date: new BinaryArray('date'),
    campaign: new BinaryArray('text'),
    adSet: new BinaryArray('text'),
    ad: new BinaryArray('text'),
    currency: new BinaryArray('text'),
    measures: measures.map((measure) => new BinaryArray(wholeMeasures.has(measure) ? 'int8' : 'numeric')),
  };
}

function dimensionColumns() {
  return {
    rowIndex: new BinaryArray('int4'),
    entity: new BinaryArray('text'),
    hash: new BinaryArray('text'),
    raw: new BinaryArray('text'),
    line: new BinaryArray('int4'),
    offset: new BinaryArray('int8'),
    campaign: new BinaryArray('text'),
    adSet: new BinaryArray('text'),
    ad: new BinaryArray('text'),
  };
}

function invalidColumns() {
  return {
    rowIndex: new BinaryArray('int4'),
    hash: new BinaryArray('text'),
    raw: new BinaryArray('text'),
    errors: new BinaryArray('text'),
    line: new BinaryArray('int4'),
    offset: new BinaryArray('int8'),
  };
}

/** The columns stand in the order of the statement's parameters. */
function takeAll(columns: Record<string, BinaryArray | BinaryArray[]> & { rowIndex: BinaryArray }): Buffer[] | null {
  if (columns.rowIndex.length === 0) return null;
  return Object.values(columns)
    .flat()
    .map((column) => column.take());
}

function pushText(column: BinaryArray, value: string | null): void {
  if (value === null) column.pushNull();
  else column.pushText(value);
}

function pushMeasure(column: BinaryArray, value: string | null): void {
  if (value === null) column.pushNull();
  else if (column.type === 'int8') column.pushWhole(value);
  else column.pushNumeric(value);
}

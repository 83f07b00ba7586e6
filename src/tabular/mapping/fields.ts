// The fields that a pipeline declares for its tables. The reader of tables knows no field by itself.
import type { ColumnKind } from '../reading.ts';
import { headerName } from './header-name.ts';

export type FieldKind = 'text' | 'id' | 'integer' | 'decimal' | 'money' | 'percent' | 'date' | 'currency';

export interface FieldDefinition {
  readonly name: string;
  /** What a person calls it. */
  readonly title: string;
  readonly kind: FieldKind;
  readonly isRequired?: boolean;
  /** Column names that mean this field, in any language. */
  readonly synonyms: readonly string[];
}

/** Known column names of one kind of export: name → field, or null for "known, not needed". Plain data; users add their own. */
export interface MappingPreset {
  readonly name: string;
  readonly title: string;
  readonly columns: Readonly<Record<string, string | null>>;
}

/** Which kinds of column can hold which kinds of field. */
const fits: Readonly<Record<FieldKind, readonly ColumnKind[]>> = {
  text: ['text', 'id', 'integer', 'decimal', 'date', 'percent', 'money'],
  id: ['id', 'integer', 'text'],
  integer: ['integer', 'decimal', 'id'],
  decimal: ['decimal', 'integer', 'money'],
  money: ['money', 'decimal', 'integer'],
  percent: ['percent', 'decimal', 'integer'],
  date: ['date'],
  currency: ['text'],
};

/** Whether values of that shape can be the field's; an empty column can be anything. */
export function canHold(field: FieldDefinition, kind: ColumnKind, isSerialDate: boolean): boolean {
  return kind === 'empty' || fits[field.kind].includes(kind) || (field.kind === 'date' && isSerialDate);
}

export class FieldCatalogue {
  readonly fields: readonly FieldDefinition[];
  readonly #byName: ReadonlyMap<string, FieldDefinition>;
  readonly #byKey = new Map<string, FieldDefinition>();
  readonly #byLooseKey = new Map<string, FieldDefinition>();
  /** Null: two fields share the root. */
  readonly #byRootKey = new Map<string, FieldDefinition | null>();

  constructor(fields: readonly FieldDefinition[]) {
    this.fields = fields;
    this.#byName = new Map(fields.map((field) => [field.name, field]));
    for (const field of fields) {
      for (const synonym of [field.title, field.name, field.name.replaceAll('_', ' '), ...field.synonyms]) {
        const { key, looseKey, rootKey } = headerName(synonym);
        const rival = this.#byRootKey.get(rootKey);
        this.#byRootKey.set(rootKey, rival === undefined || rival === field ? field : null);
        if (!this.#byKey.has(key)) this.#byKey.set(key, field);
        if (!this.#byLooseKey.has(looseKey)) this.#byLooseKey.set(looseKey, field);
      }
    }
  }

  field(name: string): FieldDefinition | undefined {
    return this.#byName.get(name);
  }

  byHeader(name: string): FieldDefinition | undefined {
    const { key } = headerName(name);
    return this.#byKey.get(key) ?? this.#byKey.get(key.replace(/ ?\(¤\)$/, ''));
  }

  byLooseHeader(name: string): FieldDefinition | undefined {
    return this.#byLooseKey.get(headerName(name).looseKey);
  }

  /** Apart from singular and plural, blanks and units. */
  byRoot(name: string): FieldDefinition | undefined {
    const { rootKey } = headerName(name);
    return rootKey === '' ? undefined : (this.#byRootKey.get(rootKey) ?? undefined);
  }

  /** For finding the header row: whether a text is a column name known here or in one of the presets. */
  knownHeaders(presets: readonly MappingPreset[]): (name: string) => boolean {
    const keys = new Set(presets.flatMap((preset) => Object.keys(preset.columns)).map((name) => headerName(name).key));
    return (name) => keys.has(headerName(name).key) || this.byHeader(name) !== undefined;
  }
}

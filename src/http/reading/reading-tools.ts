// How a pipeline of tables shows what it made of a run's file, and lets people change it: /v1/runs/:run_id/reading and …/mapping.
import type { z } from 'zod';
import type { AnswerOf } from '../../contract/api/client.ts';
import type { ReadingOverrides as GivenOverrides, MappingWrite } from '../../contract/api/reading.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import type { AppliedMapping } from '../../tabular/mapping/applied-mapping.ts';
import type { FieldCatalogue } from '../../tabular/mapping/fields.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import type { Reading, ReadingOverrides } from '../../tabular/reading.ts';
import type { ChangingCall as RunCall } from '../routes/change.ts';

export type { RunCall };

/** What the routes ask of a pipeline. One that keeps nothing special has it from `tableReadings`. */
export interface RunReadings {
  reading(call: RunCall, run: ShownRun): Promise<AnswerOf<'runs.reading'>>;
  override(call: RunCall, run: ShownRun, given: z.output<typeof GivenOverrides>): Promise<AnswerOf<'runs.reading'>>;
  mapping(call: RunCall, run: ShownRun): Promise<AnswerOf<'runs.mapping'>>;
  map(call: RunCall, run: ShownRun, given: z.output<typeof MappingWrite>): Promise<AnswerOf<'runs.mapping'>>;
}

export interface StoredReading {
  readonly reading: Reading;
  readonly mapping: AppliedMapping;
}

export interface ReadingTools {
  readonly fields: FieldCatalogue;
  /** Fields without which no row can be stored. */
  readonly requiredFields: readonly string[];
  /** The bytes of the run's file; undefined when it has none. */
  source(db: Queryable, run: ShownRun): Promise<ByteSource | undefined>;
  /** How the run read its file; undefined while nothing has been decided. */
  stored(db: Queryable, run: ShownRun): Promise<StoredReading | undefined>;
  /** What people have said so far about how to read it. */
  overrides(db: Queryable, run: ShownRun): Promise<ReadingOverrides>;
  keepOverrides(db: Queryable, run: ShownRun, overrides: ReadingOverrides): Promise<void>;
  /** Looks at the file and decides as the run would. */
  decideReading(source: ByteSource, run: ShownRun, overrides?: ReadingOverrides): Promise<Reading>;
  decideMapping(reading: Reading, run: ShownRun, saved: SavedMapping | null): AppliedMapping;
  /** Where a mapping that was just saved also holds for rows that this run has stored. */
  keepMapping?(db: Queryable, run: ShownRun, mapping: AppliedMapping): Promise<void>;
  /** Of a mapping that nobody has named. */
  mappingName(run: ShownRun): string;
}

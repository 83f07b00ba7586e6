// Reading and mapping of one run's file: shown, overridden, mapped again. The same for every pipeline of tables; the pipeline's tools say
// where it keeps them. An override and a mapping take effect when the run is retried, a mapping also for later files of the kind.

import type { z } from 'zod';
import { makerOf } from '../../access/principal.ts';
import type {
  Mapping as ApiMapping,
  Reading as ApiReading,
  ReadingOverrides as GivenOverrides,
  MappingWrite,
} from '../../contract/api/reading.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { readConstants } from '../../tabular/mapping/constants.ts';
import { overridesFrom } from '../../tabular/reading-overrides.ts';
import { change, look } from '../routes/change.ts';
import type { ReadingTools, RunCall, RunReadings, StoredReading } from './reading-tools.ts';
import { fieldsOf, saveMapped } from './save-mapped.ts';
import { viewMapping } from './view-mapping.ts';
import { sampleOf, setAsideOf, viewReading } from './view-reading.ts';

/** A run and the tools of its pipeline. */
interface Asked {
  readonly run: ShownRun;
  readonly tools: ReadingTools;
}

export function tableReadings(tools: ReadingTools): RunReadings {
  return {
    reading: (call, run) => showReading(call, { run, tools }),
    override: (call, run, given) => overrideReading(call, { run, tools }, given),
    mapping: (call, run) => showMapping(call, { run, tools }),
    map: (call, run, given) => mapColumns(call, { run, tools }, given),
  };
}

async function showReading(call: RunCall, { run, tools }: Asked): Promise<z.infer<typeof ApiReading>> {
  const { source, stored } = await look(call, async (db) => ({
    source: await tools.source(db, run),
    stored: await requireStored(db, run, tools),
  }));
  const { reading } = stored;
  return viewReading(run.id, reading, setAsideOf(reading), source === undefined ? [] : await sampleOf(source, reading));
}

async function overrideReading(
  call: RunCall,
  { run, tools }: Asked,
  given: z.output<typeof GivenOverrides>,
): Promise<z.infer<typeof ApiReading>> {
  const { source, before } = await look(call, async (db) => ({
    source: await requireSource(db, run, tools),
    before: await tools.overrides(db, run),
  }));
  const overrides = overridesFrom(given, before);
  // Tried on the file before it is kept: an override that cannot work is refused here, not at the retry.
  const reading = await tools.decideReading(source, run, overrides);
  await change(
    call,
    (db) => tools.keepOverrides(db, run, overrides),
    () => ({ target: run.id }),
  );
  return viewReading(run.id, reading, setAsideOf(reading), await sampleOf(source, reading));
}

async function showMapping(call: RunCall, { run, tools }: Asked): Promise<z.infer<typeof ApiMapping>> {
  const { reading, mapping } = await look(call, (db) => requireStored(db, run, tools));
  return viewMapping(mapping, reading, { ...tools, pipeline: run.pipeline });
}

async function mapColumns(
  call: RunCall,
  { run, tools }: Asked,
  given: z.output<typeof MappingWrite>,
): Promise<z.infer<typeof ApiMapping>> {
  const { source, reading, mapping, overrides } = await look(call, async (db) => ({
    ...(await requireStored(db, run, tools)),
    source: await tools.source(db, run),
    overrides: await tools.overrides(db, run),
  }));
  const plain = source === undefined ? reading : await tools.decideReading(source, run).catch(() => reading);
  const constants = given.constants === undefined ? mapping.constants : readConstants(given.constants, tools.fields);
  const mapped = await change(
    call,
    async (db, tenantId) => {
      const file = {
        ...{ tenantId, pipeline: run.pipeline, fingerprint: mapping.fingerprint, plain, overrides, given },
        mapping: { fields: fieldsOf(mapping, given), constants },
        name: tools.mappingName(run),
        savedBy: makerOf(call.principal) ?? null,
      };
      const saved = tools.decideMapping(reading, run, await saveMapped(db, file, tools.fields));
      await tools.keepMapping?.(db, run, saved);
      return saved;
    },
    ({ version }) => ({ target: run.id, data: { version } }),
  );
  return viewMapping(mapped, reading, { ...tools, pipeline: run.pipeline });
}

async function requireStored(db: Queryable, run: ShownRun, tools: ReadingTools): Promise<StoredReading> {
  const stored = await tools.stored(db, run);
  if (stored === undefined) throw new MillraceError('reading_not_ready', { upload: run.id });
  return stored;
}

async function requireSource(db: Queryable, run: ShownRun, tools: ReadingTools): Promise<ByteSource> {
  const source = await tools.source(db, run);
  if (source === undefined) throw new MillraceError('upload_not_found', { upload: run.id });
  return source;
}

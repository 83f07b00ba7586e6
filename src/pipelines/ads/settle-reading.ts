// How an upload is read and mapped, settled at the first attempt and stored before a row is read; also when the file turns out unusable,
// so that it can be mapped. Who has the last word: what was said for this upload (afterwards, else when it was uploaded), then the
// saved mapping, then what the file itself shows.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import { storableJson } from '../../platform/storable-text.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { isReadSo, type SaidOfDoubts, withAnswers } from '../../tabular/doubt-question.ts';
import type { SavedMapping } from '../../tabular/mapping/saved-mapping.ts';
import { listMappings } from '../../tabular/mapping/sql/list-mappings.ts';
import { selectMapping } from '../../tabular/mapping/sql/select-mapping.ts';
import { namesTaughtBy } from '../../tabular/mapping/taught-names.ts';
import type { ReadingOverrides } from '../../tabular/reading.ts';
import { readLike } from '../../tabular/returned-rows.ts';
import type { AdsInput } from './input.ts';
import { applyChoices } from './mapping-choices.ts';
import { measureDoubts } from './measure-doubts.ts';
import { decideMapping, decideReading, fingerprintOf, mappingLike, withDateOrders } from './reading.ts';
import {
  insertUploadReading,
  selectChoices,
  selectOverrides,
  selectUploadReading,
  type UploadReading,
  upsertOverrides,
} from './sql/upload-readings.ts';

type Context = StageContext<AdsInput>;

/** Mappings that names are learnt from. */
const MAX_MAPPINGS = 1_000;

/** `said`: what people answered when they were asked how the file is to be read. */
export async function settleReading(context: Context, source: ByteSource, said: SaidOfDoubts): Promise<UploadReading> {
  const { input, run } = context;
  const stored = await context.commit((tx) => selectUploadReading(tx, run.id));
  if (stored !== undefined && isReadSo(stored.reading, said)) return stored;
  const found =
    input.replay_of === undefined
      ? await sniff(context, source, said)
      : await readingOfOriginal(context, input.replay_of);
  // Names and examples from the file can hold what the database cannot; every attempt reads by what is stored.
  const decided = JSON.parse(storableJson({ ...found, reading: withAnswers(found.reading, said) })) as UploadReading;
  const upload = { uploadId: run.id, workspaceId: run.tenantId };
  await context.commit(async (tx) => {
    await insertUploadReading(tx, { ...upload, ...decided });
    if (decided.reading.answered !== undefined)
      await upsertOverrides(tx, { ...upload, overrides: decided.overrides ?? {} });
  });
  return decided;
}

async function sniff(
  context: Context,
  source: ByteSource,
  { overrides: answers }: SaidOfDoubts,
): Promise<UploadReading> {
  const { input, run, commit } = context;
  const { platform } = input;
  const before = run.retryOf ?? input.reread_of ?? null;
  const inherited = before === null ? null : await commit((tx) => selectOverrides(tx, before));
  const chosen = before === null ? null : await commit((tx) => selectChoices(tx, before));
  const choices = { ...input.choices, ...chosen };
  const given = inherited ?? (input.reading as ReadingOverrides | undefined) ?? null;
  const overrides = Object.keys(answers).length === 0 ? given : { ...given, ...answers };
  const { corrects } = input;
  const corrected = corrects === undefined ? undefined : await commit((tx) => selectUploadReading(tx, corrects));
  if (corrected !== undefined) return { ...(await readReturned(input, source, corrected, overrides)), choices };
  const taught = namesTaughtBy(await commit((tx) => listMappings(tx, { pipeline: 'ads', limit: MAX_MAPPINGS })));
  const named = input.mapping_fingerprint === undefined ? null : await savedFor(context, input.mapping_fingerprint);
  const first = await decideReading(source, platform, {
    fileName: input.filename,
    overrides: { ...named?.reading, ...overrides },
    taught,
  });
  const found = named ?? (await savedFor(context, fingerprintOf(first)));
  const isPlain = found === null || found === named || Object.keys(found.reading).length === 0;
  const reading = isPlain
    ? first
    : await decideReading(source, platform, { overrides: { ...found.reading, ...overrides }, taught });
  // Read as the mapping wants it, the file may have another header, and with it another mapping.
  const isSameHeader = fingerprintOf(reading) === fingerprintOf(first);
  const saved = isSameHeader ? found : await savedFor(context, fingerprintOf(reading));
  const decided = decideMapping(reading, platform, saved, taught);
  const dated = withDateOrders(reading, decided.columns);
  const mapping = applyChoices(decided, dated, choices);
  const doubts = [...(dated.doubts ?? []), ...measureDoubts(dated, mapping)];
  return { reading: { ...dated, doubts }, mapping, overrides, choices };
}

function savedFor({ commit }: Context, fingerprint: string): Promise<SavedMapping | null> {
  return commit((tx) => selectMapping(tx, { pipeline: 'ads', fingerprint }));
}

/** A file of rejects that comes back is read and mapped as the file they are from. */
async function readReturned(
  input: AdsInput,
  source: ByteSource,
  corrected: UploadReading,
  overrides: ReadingOverrides | null,
): Promise<UploadReading> {
  const reading = await decideReading(source, input.platform, {
    fileName: input.filename,
    overrides: { ...readLike(corrected.reading), ...overrides },
  });
  return { reading, mapping: mappingLike(corrected.mapping, reading), overrides };
}

/** A replay reads its rows as the original run did, whatever has been saved since. */
async function readingOfOriginal(context: Context, original: string): Promise<UploadReading> {
  const stored = await context.commit((tx) => selectUploadReading(tx, original));
  if (stored === undefined) throw new MillraceError('replay_rows_gone', { run: original });
  return { reading: stored.reading, mapping: stored.mapping };
}

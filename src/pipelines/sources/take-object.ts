// One object that is new or changed: its bytes are stored and become a run of the source's pipeline, or it is said why not. Repeated after a
// kill it finds the run that is there, because the run's key names the source, the object and its content.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type StoredFile, storeFile } from '../../engine/blobs/store-file.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { acceptFile, type Intake } from '../../sources/intake.ts';
import type { PlacedObject } from '../../sources/place.ts';
import { type Arrival, openArrival } from './arrival.ts';
import { holdSync } from './hold-sync.ts';
import { titleOf } from './scope.ts';
import { houseOf, intakeNamed } from './sources-deps.ts';
import type { Fate } from './sql/lines.ts';
import type { KnownObject, ObjectStatus, SeenObject } from './sql/objects.ts';
import type { SyncJob } from './sync-state.ts';

export interface Taken {
  readonly seen: SeenObject;
  /** Undefined: it is not counted as seen yet. */
  readonly fate: Fate | undefined;
  /** The place as a whole is in trouble, not this object. */
  readonly trouble?: MillraceError;
}

/** Of the place as a whole: one object that meets them says nothing of itself. */
const troubles = new Set([
  'source_denied',
  'source_place_gone',
  'source_unreachable',
  'source_throttled',
  'source_clock_skewed',
  'source_host_key_changed',
  'source_certificate_refused',
  'outbound_address_refused',
]);

/** What the address of a document may have. */
const MAX_URI_BYTES = 2_048;

export interface Wanted {
  readonly object: PlacedObject;
  readonly known: KnownObject | undefined;
  /** Called while its bytes arrive. */
  readonly alive: () => void;
  /** Of its sync, and of the others that are taken at the same time: with the first that fails for good all stop. */
  readonly signal: AbortSignal;
}

export async function takeObject(job: SyncJob, wanted: Wanted): Promise<Taken> {
  const { object, known } = wanted;
  const { deps, source, place } = job;
  const seen = seenOf(place.uriOf(object.key), object);
  try {
    if (object.fault !== undefined) throw object.fault;
    if (Buffer.byteLength(seen.sourceUri) > MAX_URI_BYTES)
      throw new MillraceError('source_object_name_unusable', { reason: 'its address is too long' });
    if (!isSettled(source.settle_seconds, object, known))
      return { seen: { ...seen, status: 'settling' }, fate: undefined };
    const { maxBytes } = houseOf(deps);
    const limit = Math.min(source.max_bytes ?? maxBytes, maxBytes);
    if (object.bytes > limit) throw new MillraceError('file_too_large', { limit });
    const { sourceReadTimeoutMinutes: minutes } = deps.settings;
    const arrival = openArrival(wanted.signal, { minutes, alive: wanted.alive });
    return await store(job, wanted, limit, arrival).finally(() => arrival.end());
  } catch (error) {
    return refusalOf(error, seen, job, wanted.signal);
  }
}

async function store(
  job: SyncJob,
  { object, known }: Wanted,
  maxBytes: number,
  { signal, follow }: Arrival,
): Promise<Taken> {
  const { deps, source, place } = job;
  const intake = intakeNamed(deps, source.pipeline);
  let versionId: string | null = null;
  const body = place.read(object, signal, (version) => {
    versionId = version;
  });
  const file = await storeFile(deps.store, {
    tenantId: source.tenant_id,
    fileName: object.key.split('/').at(-1) ?? object.key,
    body: follow(body),
    maxBytes,
    sniff: intake.sniff,
    signal,
  });
  if (!place.readsExactly && (await place.look(object.key, signal))?.mark !== object.mark) {
    await deps.store.delete(file.storeKey);
    throw new MillraceError('source_file_changing', { name: file.originalName });
  }
  const seen = seenOf(place.uriOf(object.key), object, { sha256: file.sha256, versionId });
  const isSame = known?.status === 'live' && known.sha256?.equals(file.sha256) === true;
  if (isSame) {
    await deps.store.delete(file.storeKey);
    return { seen: { ...seen, runId: known.run_id }, fate: 'unchanged' };
  }
  const runId = await accept(job, intake, object, file);
  failpoint('sync.after_take');
  const wasTaken =
    known?.sha256 !== null && known !== undefined && known.status !== 'deleted' && known.status !== 'kept';
  // Content that was refused in between and is again the one that is served.
  const isBack = wasTaken && known.run_id === runId && known.sha256?.equals(file.sha256) === true;
  return { seen: { ...seen, runId }, fate: isBack ? 'unchanged' : wasTaken ? 'changed' : 'new' };
}

async function accept(job: SyncJob, intake: Intake, object: PlacedObject, file: StoredFile): Promise<string> {
  const { deps, source, place } = job;
  const { engine, pool } = houseOf(deps);
  const title = titleOf(source.title_pattern, object.key);
  const takesTitle = intake.fields instanceof z.ZodObject && 'title' in intake.fields.shape;
  const { answer } = await acceptFile({ store: deps.store, pool, control: engine.pools.control }, intake, {
    tenantId: source.tenant_id,
    fields: { ...source.fields, ...(title !== undefined && takesTitle ? { title } : {}) },
    file,
    at: object.modifiedAt ?? new Date(),
    sourceId: source.source_id,
    origin: { uri: place.uriOf(object.key), kind: source.kind },
    uniqueKey: uniqueKeyOf(source.source_id, object, file.sha256),
    hold: holdSync(job.context.run),
    ...(source.created_by === null ? {} : { createdBy: source.created_by }),
  });
  return answer.runId;
}

function isSettled(settleSeconds: number, object: PlacedObject, known: KnownObject | undefined): boolean {
  if (settleSeconds === 0) return true;
  const ageSeconds = object.modifiedAt === null ? -1 : (Date.now() - object.modifiedAt.getTime()) / 1_000;
  if (ageSeconds >= settleSeconds) return true;
  // The server's clock may be ahead of ours: then what counts is how long we have seen it unchanged.
  return known?.mark === object.mark && known.same_for_seconds >= settleSeconds;
}

function seenOf(
  sourceUri: string,
  object: PlacedObject,
  facts: { readonly sha256?: Buffer; readonly versionId?: string | null } = {},
): SeenObject {
  const { key, bytes, modifiedAt, mark } = object;
  return {
    key,
    bytes,
    modifiedAt,
    mark,
    sourceUri,
    status: 'live',
    sha256: facts.sha256 ?? null,
    versionId: facts.versionId ?? null,
    runId: null,
    errorCode: null,
    errorText: null,
  };
}

function refusalOf(error: unknown, seen: SeenObject, { deps, source }: SyncJob, signal: AbortSignal): Taken {
  if (signal.aborted || !(error instanceof MillraceError) || error.kind === 'lost') throw error;
  const about = { ...seen, errorCode: error.code, errorText: error.message };
  if (error.code === 'source_file_changing') return { seen: { ...about, status: 'settling' }, fate: undefined };
  const isTrouble = troubles.has(error.code);
  const isPassing = error.kind === 'transient' || error.kind === 'rate_limited';
  // Ours, not the object's: disk full, database away. The sync as a whole waits.
  if (isPassing && !isTrouble && error.code !== 'source_object_gone') throw error;
  // A person decided about it: nothing else brings it in.
  const isDecided = intakeNamed(deps, source.pipeline).decided?.codes.includes(error.code) === true;
  // What may be different next time is tried again: a right that was given, a place that came back, a setting that was corrected, a run that has ended.
  const mayChange =
    isTrouble ||
    isPassing ||
    error.code === 'source_object_denied' ||
    error.kind === 'config' ||
    (error.kind === 'conflict' && !isDecided);
  const status: ObjectStatus = mayChange ? 'failed' : 'refused';
  return { seen: { ...about, status }, fate: 'refused', ...(isTrouble ? { trouble: error } : {}) };
}

export function uniqueKeyOf(sourceId: string, object: PlacedObject, sha256: Buffer): string {
  const version = `${object.key}\0${object.mark}\0${object.modifiedAt?.getTime() ?? ''}\0`;
  return `source:${sourceId}:${createHash('sha256').update(version).update(sha256).digest('hex')}`;
}

// Setting up a source: its settings are judged, its place is reached and listed, and it is written together with its schedule.
import type { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { SourceCreate } from '../../contract/pipelines/sources/api.ts';
import { saveSchedule } from '../../engine/schedules.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import { deleteSchedule } from '../../engine/sql/schedules.ts';
import { type Queryable, withTransaction } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { parseFields } from '../../sources/intake.ts';
import type { PlacedObject } from '../../sources/place.ts';
import { SftpPlace } from '../../sources/sftp/sftp-place.ts';
import { listedPrefix, reachesInto } from './listed-part.ts';
import { type Credential, faultOfCredential, faultOfMove, guardOf, kindOfCredential, openPlace } from './open-place.ts';
import { requireNoSync } from './require-no-sync.ts';
import { belongsTo, faultOfPattern, titleOf } from './scope.ts';
import { houseOf, intakeNamed, type SourcesDeps } from './sources-deps.ts';
import { judgeAgain } from './sql/objects.ts';
import { lockSource, type SourceDraft, writeSource } from './sql/sources.ts';

export type Wish = Omit<z.output<typeof SourceCreate>, 'settle_seconds'> & { readonly settle_seconds: number };

const APP_ROLE = 'millrace_app';
const PREVIEWED = 20;
const DIRECTORIES = 200;
/** Fields of uploads that would make all files of a source the same one. */
const OF_ONE_FILE = ['source_batch_id', 'corrects', 'retry_of'];
const PREVIEW_MS = 30_000;
/** How many keys are looked at to find the first that belong. */
const LOOKED_AT = 5_000;

export interface Previewed {
  readonly address: string;
  readonly hostKey: string | null;
  readonly objects: readonly PreviewedObject[];
  readonly more: boolean;
  readonly directories: readonly string[];
}

export interface PreviewedObject {
  readonly object: PlacedObject;
  readonly becomes: 'taken' | 'outside' | 'refused' | 'settling';
  readonly title: string | null;
  readonly reason: string | null;
}

/**
 * S3 shows an object when it is whole; elsewhere it may still be growing. FTP servers may tell times by the minute: what was rewritten within one,
 * with as many bytes, would look as it did.
 */
export function defaultSettleSeconds(kind: Wish['place']['kind']): number {
  return { s3: 0, sftp: 30, ftp: 60, folder: 30 }[kind];
}

/** Everything that can be said without reaching the place. No pipeline: it is not chosen yet, and the place alone is looked at. */
export function requireSound(deps: SourcesDeps, wish: Wish): void {
  const faults = [
    ...[...wish.include, ...wish.exclude].map(faultOfPattern),
    faultOfCredential(deps, wish.place.kind, wish.credential),
    wish.queue_url !== null && wish.place.kind !== 's3' ? 'queue_url: only S3 announces new objects' : undefined,
    wish.after_taken === 'tag' && wish.place.kind !== 's3' ? 'after_taken: only S3 knows tags' : undefined,
    wish.after_taken === 'move' ? faultOfMove(wish.place, wish.prefix) : undefined,
    ...OF_ONE_FILE.filter((name) => name in wish.fields).map(
      (name) => `fields: ${name} is of one file, not of a source`,
    ),
    wish.place.kind !== 's3' && wish.prefix.split('/').includes('..') ? 'prefix: ".." leaves the place' : undefined,
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new MillraceError('source_settings_invalid', { faults: faults.join('; ') });
  if (wish.queue_url !== null) guardOf(deps).requireCallable(new URL(wish.queue_url).hostname);
  if (wish.pipeline !== '') parseFields(intakeNamed(deps, wish.pipeline).fields, wish.fields);
}

/** Reaches the place and lists its beginning. */
export async function preview(deps: SourcesDeps, sourceId: string, wish: Wish): Promise<Previewed> {
  const signal = AbortSignal.timeout(PREVIEW_MS);
  const place = await openPlace(
    deps,
    { sourceId, place: wish.place, moves: wish.after_taken === 'move' },
    wish.credential,
  );
  const accepts = wish.pipeline === '' ? undefined : intakeNamed(deps, wish.pipeline).accepts;
  const { maxBytes } = houseOf(deps);
  const belongs = belongsTo(wish);
  const judge = (object: PlacedObject): PreviewedObject => {
    const title = titleOf(wish.title_pattern, object.key) ?? null;
    const found = { object, title, reason: null };
    if (object.isDirectory !== true && !belongs(object.key))
      return { ...found, becomes: 'outside', reason: 'prefix or patterns leave it out' };
    if (object.fault !== undefined) return { ...found, becomes: 'refused', reason: object.fault.message };
    if (object.bytes === 0) return { ...found, becomes: 'refused', reason: 'it is empty' };
    const limit = Math.min(wish.max_bytes ?? maxBytes, maxBytes);
    if (object.bytes > limit) return { ...found, becomes: 'refused', reason: `it is larger than ${limit} bytes` };
    const ending = /\.([^./]+)$/.exec(object.key)?.[1]?.toLowerCase();
    if (ending !== undefined && accepts?.includes(ending) === false)
      return { ...found, becomes: 'refused', reason: `${wish.pipeline} does not take .${ending} files` };
    const ageMs = object.modifiedAt === null ? 0 : Date.now() - object.modifiedAt.getTime();
    if (ageMs < wish.settle_seconds * 1_000)
      return { ...found, becomes: 'settling', reason: 'it may still be growing; it is taken once it stays the same' };
    return { ...found, becomes: 'taken' };
  };
  try {
    const objects: PreviewedObject[] = [];
    let looked = 0;
    let isMore = false;
    for await (const page of place.list(
      { prefix: listedPrefix(wish), after: null, reaches: reachesInto(wish) },
      signal,
    )) {
      for (const object of page) {
        looked += 1;
        isMore = objects.length >= PREVIEWED;
        if (isMore) break;
        objects.push(judge(object));
      }
      if (isMore || looked >= LOOKED_AT) break;
    }
    const hostKey = place instanceof SftpPlace ? (place.hostKey ?? null) : null;
    return {
      address: `${place.address}${wish.place.kind === 's3' ? `/${wish.prefix}` : ''}`,
      hostKey,
      objects,
      more: isMore,
      directories: await place.directories(wish.prefix, DIRECTORIES, signal).catch(none),
    };
  } catch (error) {
    if (signal.aborted)
      throw new MillraceError('source_unreachable', { reason: 'no answer in time' }, { cause: error });
    throw error;
  } finally {
    await place.close();
  }
}

/** What patterns reach was listed. That what lies beside it may not be listed keeps nobody from saving. */
function none(error: unknown): string[] {
  const isShut =
    error instanceof MillraceError && (error.code === 'source_denied' || error.code === 'source_place_gone');
  if (!isShut) throw error;
  return [];
}

/** Writes the source and its schedule together. */
export async function saveSource(
  deps: SourcesDeps,
  tenantId: string,
  sourceId: string,
  wish: Wish,
  kept: {
    readonly createdBy: string | null;
    readonly sealed?: Buffer | null;
    readonly sealedKind?: string;
    /** What was refused is to be judged by the new settings. */
    readonly judgesAgain?: boolean;
    /** Not while a sync is at work, or begins before this is written. */
    readonly needsRest?: boolean;
  },
): Promise<void> {
  const { engine } = houseOf(deps);
  const sealed = kept.sealed === undefined ? seal(deps, sourceId, wish.credential) : kept.sealed;
  const draft: SourceDraft = {
    sourceId,
    tenantId,
    name: wish.name,
    kind: wish.place.kind,
    place: wish.place,
    pipeline: wish.pipeline,
    fields: wish.fields,
    titlePattern: wish.title_pattern,
    prefix: wish.prefix,
    include: wish.include,
    exclude: wish.exclude,
    maxBytes: wish.max_bytes,
    afterTaken: wish.after_taken,
    settleSeconds: wish.settle_seconds,
    cron: wish.cron,
    timeZone: wish.time_zone,
    jitterSeconds: wish.jitter_seconds,
    staleAfterSeconds: wish.stale_after_seconds,
    credential: sealed,
    credentialKind: kept.sealedKind ?? kindOfCredential(wish.credential),
    queueUrl: wish.queue_url,
    isPaused: wish.paused,
    createdBy: kept.createdBy,
  };
  await withTransaction(engine.pools.control, async (tx) => {
    if (kept.needsRest === true) {
      // The lock first: a sync that is not there yet now waits for this change and goes by it.
      await asTenant(tx, tenantId, () => lockSource(tx, tenantId, sourceId, 'change'));
      await requireNoSync(tx, { tenant_id: tenantId, source_id: sourceId, name: wish.name });
    }
    await asTenant(tx, tenantId, async () => {
      await writeSource(tx, draft);
      if (kept.judgesAgain === true) await judgeAgain(tx, tenantId, sourceId);
    }).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new MillraceError('source_name_taken', { name: wish.name }, { cause: error });
    });
    if (wish.cron === null) {
      await deleteSchedule(tx, tenantId, scheduleName(sourceId));
      return;
    }
    await saveSchedule(tx, engine.registry, {
      tenantId,
      name: scheduleName(sourceId),
      pipeline: 'sources',
      cron: wish.cron,
      timeZone: wish.time_zone,
      jitterSeconds: wish.jitter_seconds,
      input: { source_id: sourceId, name: wish.name, trigger: 'schedule' },
      enabled: !wish.paused,
    });
  });
}

export function scheduleName(sourceId: string): string {
  return `source:${sourceId}`;
}

export async function asTenant<T>(tx: Queryable, tenantId: string, work: () => Promise<T>): Promise<T> {
  await enterStage(tx, APP_ROLE, tenantId);
  const result = await work();
  await leaveStage(tx);
  return result;
}

function seal({ secrets }: SourcesDeps, sourceId: string, credential: Credential | null): Buffer | null {
  return credential === null ? null : secrets.seal(sourceId, JSON.stringify(credential));
}

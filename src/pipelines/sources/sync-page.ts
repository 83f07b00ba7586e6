// A part of a listing: each object gets its fate, what has vanished in between is marked, and all of it is written with the place in the
// listing, in one commit. Unchanged objects cost no write.
import { failpoint } from '../../platform/failpoints.ts';
import type { PlacedObject } from '../../sources/place.ts';
import { lookAtOne } from './look-at-one.ts';
import { intakeNamed } from './sources-deps.ts';
import { type Line, writeLines } from './sql/lines.ts';
import { endObjects, type KnownObject, markMissing, readKnown, writeSeen } from './sql/objects.ts';
import { noteCounts } from './sql/syncs.ts';
import { added, type Counts, provesAbsence, type SyncJob, type SyncState } from './sync-state.ts';
import { type Taken, takeObject } from './take-object.ts';

/** What is stored between two commits. */
export const TAKES_PER_COMMIT = 40;
/** So many objects in a row that fail for reasons of the place end the sync: it is tried again later. */
const TROUBLES_IN_A_ROW = 5;

export interface Part {
  readonly objects: readonly PlacedObject[];
  /** The whole listing between the state's place and the last object: what is missing there has vanished. */
  readonly isListing: boolean;
}

type IsInside = (object: PlacedObject) => boolean;

/** Cuts a page where enough is to be stored, so that a kill costs little. */
export async function syncPage(
  job: SyncJob,
  state: SyncState,
  page: readonly PlacedObject[],
  belongs: (key: string) => boolean,
  isListing: boolean,
): Promise<SyncState> {
  const { context, source } = job;
  const { tenantId } = context.run;
  const isInside: IsInside = (object) => !isShut(object) && (object.isDirectory === true || belongs(object.key));
  const keys = page.map(({ key }) => key);
  const known = await judgedNow(job, await context.commit((tx) => readKnown(tx, tenantId, source.source_id, keys)));
  let current = state;
  let objects: PlacedObject[] = [];
  let takes = 0;
  for (const object of page) {
    objects.push(object);
    if (isInside(object) && !isAsBefore(object, known.get(object.key))) takes += 1;
    if (takes < TAKES_PER_COMMIT) continue;
    current = await syncPart(job, current, { objects, isListing }, known, isInside);
    [objects, takes] = [[], 0];
  }
  return objects.length === 0 ? current : syncPart(job, current, { objects, isListing }, known, isInside);
}

async function syncPart(
  job: SyncJob,
  state: SyncState,
  { objects, isListing }: Part,
  known: ReadonlyMap<string, KnownObject>,
  isInside: IsInside,
): Promise<SyncState> {
  const { context, source } = job;
  const { id: syncId, tenantId } = context.run;
  const inside = objects.filter(isInside);
  const asBefore = inside.filter((object) => isAsBefore(object, known.get(object.key)));
  const others = inside.filter((object) => !isAsBefore(object, known.get(object.key)));
  const taken = await takeAll(job, others, known, state.counts.seen + asBefore.length);
  const shut = objects.filter(isShut);
  const stillRefused = asBefore.filter(({ key }) => known.get(key)?.status === 'refused');
  const lines = [
    ...stillRefused.map(({ key }) => refusedLine(key, known)),
    ...shut.map(({ key, fault }) => ({ key, fate: 'refused' as const, runId: null, errorCode: fault?.code ?? null })),
    ...taken.flatMap(lineOf),
  ];
  const last = objects.at(-1)?.key ?? state.after;
  const counts = added(state.counts, {
    ...countsOf(taken),
    outside: objects.length - inside.length - shut.length,
    unlisted: shut.length,
    bytes: sum(taken.filter(({ fate }) => fate === 'new' || fate === 'changed').map(({ seen }) => seen.bytes)),
  });
  const fresh = taken.filter(({ seen }) => seen.status === 'live').map(({ seen }) => seen.key);
  const after: SyncState = {
    ...state,
    after: last,
    left: source.after_taken === 'leave' ? [] : fresh,
    counts: added(counts, {
      seen: asBefore.length + shut.length,
      unchanged: asBefore.length - stillRefused.length,
      refused: stillRefused.length + shut.length,
    }),
  };
  await context.commit(
    async (tx) => {
      await writeSeen(
        tx,
        tenantId,
        source.source_id,
        taken.map(({ seen }) => seen),
      );
      await writeLines(tx, tenantId, source.source_id, syncId, lines);
      await noteCounts(tx, tenantId, source.source_id, syncId, after.counts);
      if (isListing && provesAbsence(after)) {
        const keys = objects.map(({ key }) => key);
        const range = { after: state.after, upTo: last, keys, syncId, prefix: source.prefix };
        await markMissing(tx, tenantId, source.source_id, range);
      }
    },
    { checkpoint: after },
  );
  context.progress({ done: after.counts.seen, unit: 'objects' });
  const isLeft = ({ key }: PlacedObject) => source.after_taken === 'move' && known.get(key)?.status === 'live';
  await putAway(
    job,
    objects.filter((object) => fresh.includes(object.key) || isLeft(object)),
  );
  return after;
}

/** A directory that may not be listed is no object: it has a line in each sync that met it, and no fate that lasts. */
function isShut({ fault }: PlacedObject): boolean {
  return fault?.code === 'source_directory_shut';
}

/** What a person had taken away and has brought back since is to be tried, although the object has not changed. */
async function judgedNow(
  { deps, source }: SyncJob,
  known: ReadonlyMap<string, KnownObject>,
): Promise<ReadonlyMap<string, KnownObject>> {
  const { decided } = intakeNamed(deps, source.pipeline);
  const refused = [...known.values()].filter(
    ({ status, error_code: code }) => status === 'refused' && code !== null && decided?.codes.includes(code) === true,
  );
  if (decided === undefined || refused.length === 0) return known;
  const uris = refused.map(({ source_uri: uri }) => uri);
  const still = await decided.among(source.tenant_id, uris);
  const back = refused.filter(({ source_uri: uri }) => !still.has(uri));
  return new Map([...known, ...back.map((each) => [each.key, { ...each, status: 'failed' as const }] as const)]);
}

/** As it was when it was last judged: its bytes need not be read. */
function isAsBefore(object: PlacedObject, known: KnownObject | undefined): boolean {
  if (known === undefined || known.mark !== object.mark) return false;
  return known.status === 'live' || known.status === 'refused';
}

/** So many at a time as the place allows; in the order of the listing. */
async function takeAll(
  job: SyncJob,
  objects: readonly PlacedObject[],
  known: ReadonlyMap<string, KnownObject>,
  seenBefore: number,
): Promise<Taken[]> {
  const results: Taken[] = [];
  let done = 0;
  const alive = () => job.context.progress({ done: seenBefore + done, unit: 'objects' });
  const waiting = objects.entries();
  let troubles = 0;
  const stop = new AbortController();
  const signal = AbortSignal.any([job.context.signal, stop.signal]);
  async function work(): Promise<void> {
    for (const [index, object] of waiting) {
      signal.throwIfAborted();
      const taken = await takeObject(job, { object, known: known.get(object.key), alive, signal });
      done += 1;
      troubles = taken.trouble === undefined ? 0 : troubles + 1;
      if (taken.trouble !== undefined && troubles >= TROUBLES_IN_A_ROW) throw taken.trouble;
      results[index] = taken;
    }
  }
  const failing = (error: unknown) => {
    stop.abort(error);
    throw error;
  };
  const works = Array.from({ length: Math.min(job.place.readsAtOnce, objects.length) }, () => work().catch(failing));
  // All have stopped before the sync is given up: what one of them brought in later would be older than what the next attempt sees.
  await Promise.allSettled(works);
  await Promise.all(works);
  return results;
}

function lineOf({ seen, fate }: Taken): Line[] {
  if (fate === undefined) return [];
  return [{ key: seen.key, fate, runId: seen.runId, errorCode: seen.errorCode }];
}

/** Refused before for the same reason: it has not changed. */
function refusedLine(key: string, known: ReadonlyMap<string, KnownObject>): Line {
  return { key, fate: 'refused', runId: null, errorCode: known.get(key)?.error_code ?? null };
}

function countsOf(taken: readonly Taken[]): Partial<Counts> {
  const of = (fate: string | undefined) => taken.filter((each) => each.fate === fate).length;
  return {
    seen: taken.length - of(undefined),
    new: of('new'),
    changed: of('changed'),
    unchanged: of('unchanged'),
    refused: of('refused'),
    settling: of(undefined),
  };
}

/** What the sync before the kill took in and did not put away; what has changed since is taken in first. */
export async function putAwayLeft(job: SyncJob, { left = [] }: SyncState): Promise<void> {
  const { context, source } = job;
  if (left.length === 0) return;
  const { tenantId } = context.run;
  const known = await context.commit((tx) => readKnown(tx, tenantId, source.source_id, left));
  for (const key of left) {
    const object = await lookAtOne(job, key);
    if (object !== undefined && isAsBefore(object, known.get(key))) await putAway(job, [object]);
  }
}

/** After the commit: an object that is moved away too early would look as if it had vanished. One that was not moved is moved next time. */
async function putAway({ context, source, place }: SyncJob, objects: readonly PlacedObject[]): Promise<void> {
  const { after_taken: how } = source;
  if (how === 'leave') return;
  for (const object of objects) {
    failpoint('sync.before_put_away');
    try {
      await place.putAway(object, how, context.signal);
    } catch (error) {
      if (context.signal.aborted) throw error;
      context.log.warn({ err: error, source: source.source_id }, 'a taken object could not be moved away; it stays');
      continue;
    }
    if (how === 'move')
      await context.commit((tx) => endObjects(tx, context.run.tenantId, source.source_id, [object.key], 'kept'));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

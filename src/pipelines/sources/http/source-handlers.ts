// /v1/sources: what a tenant's admin connects, what was found there, and when Millrace syncs it.
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { openCredential } from '../open-place.ts';
import { requireRareEnough, requireRoom } from '../plan-limits.ts';
import { removeSource } from '../remove-source.ts';
import { requireNoSync } from '../require-no-sync.ts';
import { requireOwnPassword, requirePinnedKey, withPinnedKey } from '../same-server.ts';
import { changesScope, countLeaving, endLeaving, staysIn } from '../scope-change.ts';
import { defaultSettleSeconds, preview, requireSound, saveSource, type Wish } from '../set-up.ts';
import { requireSource, type SourceAnswer, viewSources } from '../source-view.ts';
import type { SourcesDeps } from '../sources-deps.ts';
import { pageLines } from '../sql/lines.ts';
import { type ObjectRow, pageObjects } from '../sql/objects.ts';
import { countSources, listSources, type SourceRow } from '../sql/sources.ts';
import { startSync } from '../start-sync.ts';
import { unseenBecause } from '../unseen.ts';

type AnyCall = Pick<Call<OperationId>, 'app' | 'principal'>;

const anyKey = /^[\s\S]{1,4096}$/;

export function sourceHandlers(deps: SourcesDeps): Handlers {
  return { ...settingHandlers(deps), ...syncHandlers(deps) };
}

function settingHandlers(deps: SourcesDeps): Handlers {
  return {
    ...handle('sources.list', async (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, shapes.uuid)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const page = pageOf(await listSources(db, tenantId, cursor, limit + 1), limit, (row) =>
          writeCursor(row.source_id),
        );
        return { data: await viewSources(db, tenantId, page.data), next: page.next };
      });
    }),
    ...handle('sources.create', async (call) => {
      const { body, principal, trail } = call;
      const { tenantId } = principal;
      const { count, plan } = await look(call, (db) => countSources(db, tenantId));
      requireRoom(plan, count);
      const sourceId = uuidv7();
      const wish = await sound(deps, sourceId, withSettling(body), plan);
      const createdBy = principal.kind === 'user' ? principal.actorId : null;
      await saveSource(deps, tenantId, sourceId, wish, { createdBy });
      trail.acted({ target: sourceId });
      return answer(call, sourceId);
    }),
    ...handle('sources.preview', async (call) => {
      const { source_id: known, name = 'preview', pipeline = '', ...rest } = call.body;
      const { tenantId } = call.principal;
      const stored = known === undefined ? undefined : await look(call, (db) => requireSource(db, tenantId, known));
      const credential =
        rest.credential === null && stored !== undefined
          ? openCredential(deps, stored.source_id, stored.credential)
          : rest.credential;
      const place = stored === undefined ? rest.place : withPinnedKey(stored, rest.place);
      if (stored !== undefined) requireOwnPassword(stored, place, rest.credential !== null);
      const wish = withSettling({ ...rest, name, pipeline, credential, place });
      const { count, plan } = await look(call, (db) => countSources(db, tenantId));
      if (stored === undefined) requireRoom(plan, count);
      checked(deps, wish, plan);
      const { address, hostKey, objects, more, directories } = await preview(deps, known ?? uuidv7(), wish);
      return {
        address,
        host_key: hostKey,
        more,
        directories: [...directories],
        objects: objects.map(({ object, becomes, title, reason }) => ({
          key: object.key,
          bytes: object.bytes,
          modified_at: object.modifiedAt?.toISOString() ?? null,
          becomes,
          title,
          reason,
        })),
      };
    }),
    ...handle('sources.show', (call) => answer(call, call.params.source_id)),
    ...handle('sources.update', async (call) => {
      const { body, principal, trail, params } = call;
      const { tenantId } = principal;
      const { out_of_scope: what, ...patch } = body;
      const [before, { plan }] = await look(call, async (db) => [
        await requireSource(db, tenantId, params.source_id),
        await countSources(db, tenantId),
      ]);
      if (patch.place !== undefined && patch.place.kind !== before.kind)
        throw new MillraceError('source_settings_invalid', {
          faults: `place: it was ${before.kind}; add another source instead`,
        });
      const wish = patched(deps, before, patch);
      const touches = Object.keys(patch).some((name) => reaching.has(name));
      const judged = touches ? await sound(deps, before.source_id, wish, plan) : checked(deps, wish, plan);
      const needsRest = changesScope(patch);
      const stays = needsRest ? await staysIn(deps, before, judged) : () => true;
      if (needsRest) await requireNoSync(engineOf(call).pools.control, before);
      if (what === undefined) {
        const count = needsRest ? await countLeaving(deps, before, stays) : 0;
        if (count > 0) throw new MillraceError('source_scope_narrowed', { count });
      }
      const kept =
        patch.credential === undefined ? { sealed: before.credential, sealedKind: before.credential_kind } : {};
      const judgesAgain = Object.keys(patch).some((name) => judging.has(name));
      const { created_by: createdBy } = before;
      await saveSource(deps, tenantId, before.source_id, judged, { createdBy, judgesAgain, needsRest, ...kept });
      const left = needsRest ? await endLeaving(deps, before, stays, what ?? 'keep') : 0;
      trail.acted({
        target: before.source_id,
        data: { changed: Object.keys(patch), ...(left > 0 ? { left, what } : {}) },
      });
      return answer(call, before.source_id);
    }),
  };
}

function syncHandlers(deps: SourcesDeps): Handlers {
  return {
    ...handle('sources.remove', async (call) => {
      const { principal, params, query, trail } = call;
      const before = await look(call, (db) => requireSource(db, principal.tenantId, params.source_id));
      await removeSource(deps, before, query.objects);
      trail.acted({ target: params.source_id, data: { objects: query.objects ?? 'none' } });
      return undefined;
    }),
    ...handle('sources.sync', async (call) => {
      const { principal, params, trail } = call;
      const source = await look(call, (db) => requireSource(db, principal.tenantId, params.source_id));
      if (source.paused_at !== null) throw new MillraceError('source_paused', { name: source.name });
      const createdBy = principal.kind === 'user' ? principal.actorId : undefined;
      const run = await startSync(engineOf(call), source, { trigger: 'person', createdBy });
      trail.acted({ target: source.source_id, data: { run: run.id, created: run.created } });
      return { run_id: run.id, created: run.created };
    }),
    ...handle('sources.objects', async (call) => {
      const { limit, after, status } = call.query;
      const cursor = readCursor(after, anyKey)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const source = await requireSource(db, tenantId, call.params.source_id);
        const { source_id: sourceId } = source;
        const rows = await pageObjects(db, tenantId, sourceId, {
          after: cursor,
          status: status ?? null,
          limit: limit + 1,
        });
        const page = pageOf(rows, limit, (row) => writeCursor(row.key));
        const unseen = await unseenBecause(db, source, page.data);
        return { data: page.data.map((row) => objectAnswer(row, unseen(row))), next: page.next };
      });
    }),
    ...handle('sources.lines', async (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, anyKey)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        await requireSource(db, tenantId, call.params.source_id);
        const rows = await pageLines(db, tenantId, call.params.sync_id, cursor, limit + 1);
        const page = pageOf(rows, limit, (row) => writeCursor(row.key));
        const data = page.data.map(({ created_at: at, ...line }) => ({ ...line, at: at.toISOString() }));
        return { data, next: page.next };
      });
    }),
  };
}

/** Settings whose change is tried at the place before it is saved. */
const reaching = new Set(['place', 'credential', 'prefix']);
/** Settings by which objects were refused: with others the next sync may take them. */
const judging = new Set(['pipeline', 'fields', 'max_bytes']);

type Body = Omit<Wish, 'settle_seconds'> & { readonly settle_seconds?: number | undefined };

function withSettling(body: Body): Wish {
  return { ...body, settle_seconds: body.settle_seconds ?? defaultSettleSeconds(body.place.kind) };
}

function checked(deps: SourcesDeps, wish: Wish, plan: string): Wish {
  requireSound(deps, wish);
  if (wish.cron !== null) requireRareEnough(plan, wish.cron, wish.time_zone);
  return wish;
}

/** Sound, reached and listed; an SFTP server's key is pinned if it was not. */
async function sound(deps: SourcesDeps, sourceId: string, given: Wish, plan: string): Promise<Wish> {
  const wish = checked(deps, given, plan);
  const { hostKey } = await preview(deps, sourceId, wish);
  if (wish.place.kind !== 'sftp' || hostKey === null) return wish;
  return { ...wish, place: { ...wish.place, host_key: hostKey } };
}

function patched(
  deps: SourcesDeps,
  before: SourceRow,
  patch: { readonly [Name in keyof Body]?: Body[Name] | undefined },
): Wish {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const place = patch.place === undefined ? (before.place as Wish['place']) : requirePinnedKey(before, patch.place);
  requireOwnPassword(before, place, patch.credential !== undefined && patch.credential !== null);
  return {
    name: before.name,
    pipeline: before.pipeline,
    fields: before.fields,
    title_pattern: before.title_pattern,
    prefix: before.prefix,
    include: before.include,
    exclude: before.exclude,
    max_bytes: before.max_bytes,
    after_taken: before.after_taken,
    settle_seconds: before.settle_seconds,
    cron: before.cron,
    time_zone: before.time_zone,
    jitter_seconds: before.jitter_seconds,
    stale_after_seconds: before.stale_after_seconds,
    queue_url: before.queue_url,
    paused: before.paused_at !== null,
    credential:
      patch.credential === undefined ? openCredential(deps, before.source_id, before.credential) : patch.credential,
    ...(given as Partial<Wish>),
    place,
  };
}

function answer(call: AnyCall, sourceId: string): Promise<SourceAnswer> {
  return look(call, async (db, tenantId) => {
    const [view] = await viewSources(db, tenantId, [await requireSource(db, tenantId, sourceId)]);
    return view as SourceAnswer;
  });
}

function objectAnswer(row: ObjectRow, unseenBecause: string | null) {
  return {
    key: row.key,
    status: row.status,
    bytes: Number(row.bytes),
    modified_at: row.modified_at?.toISOString() ?? null,
    source_uri: row.source_uri,
    sha256: row.sha256?.toString('hex') ?? null,
    run_id: row.run_id,
    error_code: row.error_code,
    error_text: row.error_text,
    unseen_because: unseenBecause,
    version_id: row.version_id,
    first_seen_at: row.first_seen_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  };
}

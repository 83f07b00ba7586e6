// GET of jobs, items and pending items.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { itemStatuses } from '../../../contract/pipelines/items/item-statuses.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { isMoment, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import type { Queryable } from '../../../platform/database.ts';
import { requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { fieldFinder, fieldsNow } from '../reading.ts';
import { listJobsOfTenant, listJobsOfUser } from '../sql/list-jobs.ts';
import {
  countPending,
  listPendingOfAll,
  listPendingOfJob,
  listPendingOfUser,
  type PendingRow,
} from '../sql/list-pending.ts';
import {
  type ItemRow,
  listAttempts,
  listItemsByIds,
  listItemsInOrder,
  listItemsOfStatuses,
  listRequests,
  readMoment,
  selectItem,
} from '../sql/read-items.ts';
import { viewDetail, viewItem } from './item-view.ts';
import { requireJob, viewerOf } from './job-access.ts';
import { latestRun, listedJob, viewJob } from './job-view.ts';
import { cachedCount } from './pending-count.ts';

const open = ['PENDING', 'PROCESSING'];
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function readHandlers(deps: ItemsDeps): Handlers {
  return {
    ...handle('jobs.list', async (call) => {
      requireEnabled(deps);
      const cursor = readCursor(call.query.after, shapes.moment, shapes.uuid);
      const { pageSize, userId } = call.query;
      const jobs = await look(call, async (db, tenantId) => {
        const viewer = await viewerOf(db, call.principal);
        if (userId === 'all' && !viewer.seesAll) throw new MillraceError('only_own_jobs');
        const page = {
          tenantId,
          beforeTime: cursor?.[0] ?? null,
          beforeId: cursor?.[1] ?? LAST_ID,
          limit: pageSize + 1,
        };
        const isOwn = userId === 'me' || (userId === undefined && !viewer.seesAll);
        if (!isOwn) return listJobsOfTenant(db, page);
        return viewer.userId === null ? [] : listJobsOfUser(db, { ...page, userId: viewer.userId });
      });
      const shown = jobs.slice(0, pageSize);
      const last = shown.at(-1);
      const engine = engineOf(call);
      const data = await Promise.all(shown.map(async (job) => listedJob(job, await latestRun(engine, job))));
      const next = jobs.length > pageSize && last !== undefined ? writeCursor(last.created_text, last.job_id) : null;
      return { data, next };
    }),

    ...handle('jobs.show', async (call) => {
      requireEnabled(deps);
      return look(call, async (db) =>
        viewJob(engineOf(call), db, await requireJob(db, call.principal, call.params.job_id)),
      );
    }),

    ...handle('jobs.items', async (call) => {
      requireEnabled(deps);
      const { sort = 'row_index', page, after } = call.query;
      if (page !== undefined && page > 1 && after === undefined)
        throw new MillraceError('page_without_cursor', { page });
      if (!['row_index', 'updated_at'].includes(sort)) throw new MillraceError('sort_unknown', { sort });
      return sort === 'updated_at' ? listByChange(call) : listInOrder(call);
    }),

    ...handle('jobs.item', async (call) => {
      requireEnabled(deps);
      return look(call, (db) => showItem(db, call));
    }),

    ...handle('pending.list', async (call) => {
      requireEnabled(deps);
      if (!deps.settings.pendingDashboard)
        throw new MillraceError('feature_disabled', { setting: 'PENDING_DASHBOARD' });
      return listPending(call);
    }),
  };
}

export async function showItem(db: Queryable, { principal, params }: Pick<Call<'jobs.item'>, 'principal' | 'params'>) {
  const { job_id: jobId, item_id: itemId } = params;
  const job = await requireJob(db, principal, jobId);
  const item = await selectItem(db, jobId, itemId);
  if (item === undefined) throw new MillraceError('item_not_found', { item: itemId, job: jobId });
  const shown = { ...item, normalized_json: fieldsNow(item, fieldFinder(job.mapping, job.input_columns)) };
  return viewDetail(shown, await listAttempts(db, jobId, itemId), await listRequests(db, jobId, itemId));
}

async function listInOrder(call: Call<'jobs.items'>) {
  const { after, afterRow, pageSize, text, column, since } = call.query;
  const ids = idsOf(call.query.ids);
  const statuses = statusesOf(call.query.statuses ?? call.query.status);
  if (since !== undefined && !isMoment(since)) throw new MillraceError('cursor_malformed');
  const cursor = readCursor(after, shapes.integer);
  const { rows, asOf } = await look(call, async (db) => {
    await requireJob(db, call.principal, call.params.job_id);
    const asOf = await readMoment(db);
    if (ids !== null) return { rows: await listItemsByIds(db, call.params.job_id, ids), asOf };
    const page = {
      jobId: call.params.job_id,
      afterRow: Number(cursor?.[0] ?? afterRow ?? -1),
      text: text === undefined || text === '' ? null : text.toLowerCase(),
      column: column ?? null,
      since: since ?? null,
      limit: pageSize + 1,
    };
    const rows = statuses === null ? listItemsInOrder(db, page) : listItemsOfStatuses(db, { ...page, statuses });
    return { rows: await rows, asOf };
  });
  return pageOfItems(rows, ids?.length ?? pageSize, asOf, (row) => writeCursor(row.row_index));
}

/** The pending tab: open items by their last change. */
async function listByChange(call: Call<'jobs.items'>) {
  const { after, pageSize } = call.query;
  const statuses = statusesOf(call.query.statuses ?? call.query.status) ?? open;
  refuseEnded(statuses);
  const cursor = readCursor(after, shapes.moment, shapes.integer, shapes.moment);
  const startedAt = performance.now();
  const { rows, asOf } = await look(call, async (db) => {
    await requireJob(db, call.principal, call.params.job_id);
    const asOf = cursor?.[2] ?? (await readMoment(db));
    const place = { afterTime: cursor?.[0] ?? null, afterId: cursor?.[1] ?? '0' };
    return {
      asOf,
      rows: await listPendingOfJob(db, { jobId: call.params.job_id, statuses, ...place, asOf, limit: pageSize + 1 }),
    };
  });
  const shown = rows.slice(0, pageSize);
  logBoundaries(call, call.params.job_id, shown, performance.now() - startedAt);
  return pageOfItems(rows, pageSize, asOf, (row) => writeCursor(row.updated_text ?? '', row.id, asOf));
}

function pageOfItems(rows: readonly ItemRow[], pageSize: number, asOf: string, cursorOf: (row: ItemRow) => string) {
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  return {
    data: shown.map(viewItem),
    next: rows.length > pageSize && last !== undefined ? cursorOf(last) : null,
    as_of: asOf,
  };
}

async function listPending(call: Call<'pending.list'>) {
  const { after, pageSize, userId = 'me', jobType, jobId, from, to } = call.query;
  const statuses = statusesOf(call.query.statuses) ?? open;
  refuseEnded(statuses);
  const cursor = readCursor(after, shapes.moment, shapes.integer, shapes.moment);
  const startedAt = performance.now();
  const { rows, asOf, count } = await look(call, async (db, tenantId) => {
    const viewer = await viewerOf(db, call.principal);
    const wanted = wantedUser(userId, viewer);
    const asOf = cursor?.[2] ?? (await readMoment(db));
    const page = {
      tenantId,
      userId: wanted,
      statuses,
      jobType: jobType ?? null,
      jobId: jobId ?? null,
      from: from ?? null,
      to: to ?? null,
      afterTime: cursor?.[0] ?? null,
      afterId: cursor?.[1] ?? '0',
      asOf,
      limit: pageSize + 1,
    };
    const rows =
      wanted === null ? await listPendingOfAll(db, page) : await listPendingOfUser(db, { ...page, userId: wanted });
    return { rows, asOf, count: await cachedCount(tenantId, wanted, () => countPending(db, tenantId, wanted)) };
  });
  const shown = rows.slice(0, pageSize);
  const last = shown.at(-1);
  logBoundaries(call, jobId ?? null, shown, performance.now() - startedAt);
  return {
    data: shown.map(viewPending),
    next: rows.length > pageSize && last !== undefined ? writeCursor(last.updated_text, last.id, asOf) : null,
    as_of: asOf,
    pending_count: count,
  };
}

/** `me` is resolved here, from the credential. Who is no user of his own sees what nobody uploaded: nothing. */
function wantedUser(wanted: string, viewer: Awaited<ReturnType<typeof viewerOf>>): number | null {
  if (wanted === 'me') return viewer.userId ?? (viewer.seesAll ? null : -1);
  if (!viewer.seesAll) throw new MillraceError('only_own_jobs');
  if (wanted === 'all') return null;
  if (!/^\d{1,15}$/.test(wanted))
    throw new MillraceError('request_invalid', { faults: 'userId: me, all or the number of a user' });
  return Number(wanted);
}

function viewPending(row: PendingRow) {
  return {
    id: row.id,
    jobId: row.job_id,
    user_id: row.user_id,
    job_type: row.job_type,
    status: row.status as 'PENDING',
    attempts: row.attempts,
    locked_by: row.locked_by,
    locked_at: row.locked_at?.toISOString() ?? null,
    updated_at: row.updated_text,
    inputSummary: { title: row.title, brand: row.brand, sku: row.sku },
  };
}

const MOST_IDS = 500;

function idsOf(text: string | undefined): string[] | null {
  if (text === undefined || text === '') return null;
  const ids = text.split(',').map((word) => word.trim());
  if (ids.length > MOST_IDS || ids.some((id) => !/^\d{1,18}$/.test(id)))
    throw new MillraceError('request_invalid', { faults: `ids: at most ${MOST_IDS} numbers of items` });
  return ids;
}

function statusesOf(text: string | undefined): string[] | null {
  if (text === undefined || text === '') return null;
  const given = text.split(',').map((word) => word.trim().toUpperCase());
  const unknown = given.find((word) => !(itemStatuses as readonly string[]).includes(word));
  if (unknown !== undefined) throw new MillraceError('item_statuses_unknown', { status: unknown });
  return [...new Set(given)];
}

function refuseEnded(statuses: readonly string[]): void {
  const ended = statuses.find((status) => !open.includes(status));
  if (ended !== undefined) throw new MillraceError('status_not_pending', { status: ended });
}

/** Times and ids only. */
function logBoundaries(
  { app }: Pick<Call<'jobs.items'>, 'app'>,
  job: string | null,
  page: readonly { readonly updated_text: string | null; readonly id: string }[],
  ms: number,
): void {
  const [first, last] = [page[0], page.at(-1)];
  app.log.debug(
    {
      ...(job === null ? {} : { job }),
      ...(first === undefined ? {} : { first_at: first.updated_text, first_id: first.id }),
      ...(last === undefined ? {} : { last_at: last.updated_text, last_id: last.id }),
      items: page.length,
      ms: Math.round(ms),
    },
    'items.pending_page',
  );
}

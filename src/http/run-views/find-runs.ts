// Chooses the way into the ledger that fits a filter and returns one page of it, behind a cursor or by number.
import { inTenant } from '../../access/tenant-session.ts';
import { listLeasedAndHeldRunIds, listQueuedRunIds } from '../../engine/reads/list-live-run-ids.ts';
import { measureRuns } from '../../engine/reads/measure-runs.ts';
import { type PageFilter, pageRuns, type RunsFound } from '../../engine/reads/page-runs.ts';
import type { HiddenRuns } from '../../engine/reads/private-runs.ts';
import { readShownRun } from '../../engine/reads/read-run.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { newest, type WayIn } from '../../engine/reads/ways-into-ledger.ts';
import type { Pool, Queryable } from '../../platform/database.ts';
import { readCursor, shapes, writeCursor } from '../cursor.ts';

/** The API's filter words, as they come in. */
export interface RunQuery {
  readonly pipeline?: string | undefined;
  readonly status?: string | undefined;
  readonly phase?: string | undefined;
  readonly source?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly q?: string | undefined;
}

export interface Finder {
  readonly pool: Pool;
  /** Reads the queue tables, as millrace_engine. */
  readonly control: Queryable;
  /** The tenant's runs that wait or run, where they were asked for already. */
  readonly live?: readonly string[];
  /** What the caller does not see. */
  readonly hidden?: HiddenRuns | undefined;
  /** Pipelines of which a run that was retried is not listed, but its retry is. */
  readonly lastOf?: readonly string[] | undefined;
}

export interface RunPage {
  readonly rows: readonly ShownRun[];
  readonly next: string | null;
}

/** Candidates one request may look at when its filter is not served by an index alone. */
const SCAN = 20_000;
/** Most filters fill a page from the first few hundred; only a rare one is worth the whole bound. */
const FIRST_SCAN = 400;
const MAX_LIVE = 50_000;
const livePhases = new Set(['waiting', 'active']);
const endedBadly = new Set(['failed', 'dead']);
/** Ends that are kept in the side table of flagged runs, over all machines. */
const flaggedStatuses = new Set(['failed', 'partial', 'dead', 'dead_letter', 'cancelled']);
/** Words that end a run in one machine and are a stop on the way in another: a sync that has failed waits for its next try. */
const liveToo = new Set(['failed']);

export async function findRuns(
  finder: Finder,
  tenantId: string,
  query: RunQuery,
  page: { after?: string | undefined; limit: number },
): Promise<RunPage> {
  const beforeId = readCursor(page.after, shapes.uuid)?.[0] ?? newest;
  if (query.q !== undefined && shapes.uuid.test(query.q.trim().toLowerCase()))
    return findById(finder, tenantId, query.q.trim().toLowerCase());
  const found = await search(finder, filterOf(finder, tenantId, query, beforeId, page.limit));
  const last = found.rows[page.limit - 1];
  if (found.rows.length > page.limit && last !== undefined)
    return { rows: found.rows.slice(0, page.limit), next: writeCursor(last.id) };
  return { rows: found.rows, next: found.edge === null ? null : writeCursor(found.edge) };
}

export interface NumberedPage extends RunPage {
  /** Runs that match among the newest ones within reach. */
  readonly total: number;
  /** False: there are more runs than the reach, and nobody has counted them. */
  readonly isExact: boolean;
}

/**
 * A page by number. It counts, and skips, among the newest `reach` candidates only, and then lists like any other page: the
 * last page costs what the first one does. By phase and status alone: other filters have no page numbers.
 */
export async function findNumberedPage(
  finder: Finder,
  tenantId: string,
  query: Pick<RunQuery, 'phase' | 'status'>,
  { page, limit, reach }: { page: number; limit: number; reach: number },
): Promise<NumberedPage> {
  const filter = { ...filterOf(finder, tenantId, query, newest, limit), scan: reach + 1 };
  const way = wayIn(filter);
  const given = way === 'given' ? await liveRunIds(finder, tenantId) : [];
  const skip = (page - 1) * limit;
  const measured = await inTenant(finder.pool, tenantId, (db) => measureRuns(db, way, filter, skip, given), {
    readOnly: true,
  });
  const counted = { total: Math.min(measured.matches, reach), isExact: measured.scanned <= reach };
  if (skip > 0 && measured.boundary === null) return { rows: [], next: null, ...counted };
  const after = measured.boundary === null ? undefined : writeCursor(measured.boundary);
  const again = way === 'given' ? { ...finder, live: given } : finder;
  return { ...(await findRuns(again, tenantId, query, { after, limit })), ...counted };
}

export function splitWords(text: string | undefined): readonly string[] | null {
  const words = text?.split(',').map((word) => word.trim());
  return words === undefined ? null : words.filter((word) => word !== '');
}

async function findById({ pool, hidden }: Finder, tenantId: string, runId: string): Promise<RunPage> {
  const row = await inTenant(pool, tenantId, (db) => readShownRun(db, tenantId, runId), { readOnly: true });
  const isHidden = row !== undefined && hidden?.pipelines.includes(row.pipeline) && row.created_by !== hidden.viewerId;
  return { rows: row === undefined || isHidden ? [] : [row], next: null };
}

function filterOf(
  { hidden, lastOf }: Finder,
  tenantId: string,
  query: RunQuery,
  beforeId: string,
  limit: number,
): PageFilter {
  const filter = {
    tenantId,
    beforeId,
    pipelines: splitWords(query.pipeline),
    statuses: splitWords(query.status),
    phases: splitWords(query.phase),
    sources: splitWords(query.source),
    since: query.since ?? null,
    until: query.until ?? null,
    titlePart: query.q?.trim().toLowerCase() || null,
    limit: limit + 1,
    hidden,
    lastOf,
  };
  return { ...filter, scan: isServedByIndex(filter) ? limit + 1 : SCAN };
}

function isServedByIndex(filter: Omit<PageFilter, 'scan'>): boolean {
  const { statuses, phases, sources, since, until, titlePart, hidden, lastOf } = filter;
  return (
    hidden === undefined &&
    lastOf === undefined &&
    [statuses, phases, sources, since, until, titlePart].every((each) => each === null)
  );
}

async function search(finder: Finder, filter: PageFilter): Promise<RunsFound> {
  const way = wayIn(filter);
  const isAlsoLive = way === 'flagged' && filter.phases === null && filter.statuses?.some((word) => liveToo.has(word));
  if (!isAlsoLive) return searchBy(finder, filter, way);
  const [ended, live] = [await searchBy(finder, filter, 'flagged'), await searchBy(finder, filter, 'given')];
  return merge(ended, live, filter.limit);
}

/** Newest first, as far as both were read. */
function merge(one: RunsFound, other: RunsFound, limit: number): RunsFound {
  const edge = [one.edge, other.edge].reduce((far, each) =>
    each !== null && (far === null || each > far) ? each : far,
  );
  const rows = [...one.rows, ...other.rows]
    .filter((row) => edge === null || row.id >= edge)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  return { rows: rows.slice(0, limit), edge };
}

async function searchBy(finder: Finder, filter: PageFilter, way: WayIn): Promise<RunsFound> {
  const given = way === 'given' ? await liveRunIds(finder, filter.tenantId) : [];
  const look = (db: Queryable, scan: number) => pageRuns(db, way, { ...filter, scan }, given);
  const work = async (db: Queryable) => {
    const first = await look(db, Math.min(filter.scan, FIRST_SCAN));
    const isEnough = first.edge === null || first.rows.length >= filter.limit || filter.scan <= FIRST_SCAN;
    return isEnough ? first : look(db, filter.scan);
  };
  return inTenant(finder.pool, filter.tenantId, work, { readOnly: true });
}

function wayIn({ phases, statuses, pipelines }: PageFilter): WayIn {
  if (phases?.length && phases.every((phase) => livePhases.has(phase))) return 'given';
  if (phases?.length && phases.every((phase) => endedBadly.has(phase))) return 'flagged';
  if (statuses?.length && statuses.every((status) => flaggedStatuses.has(status))) return 'flagged';
  return pipelines === null ? 'ledger' : 'pipelines';
}

async function liveRunIds({ pool, control, live }: Finder, tenantId: string): Promise<readonly string[]> {
  if (live !== undefined) return live;
  const [queued, others] = await Promise.all([
    listQueuedRunIds(control, tenantId, MAX_LIVE),
    inTenant(pool, tenantId, (db) => listLeasedAndHeldRunIds(db, tenantId, MAX_LIVE), { readOnly: true }),
  ]);
  return [...new Set([...queued, ...others])];
}

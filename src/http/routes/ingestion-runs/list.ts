// GET /v1/ingestion-runs: by page and limit, or behind a cursor.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { PAGE_REACH } from '../../../contract/api/ingestion-runs.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, handle } from '../../call.ts';
import {
  type Finder,
  findNumberedPage,
  findRuns,
  type RunPage,
  type RunQuery,
  splitWords,
} from '../../run-views/find-runs.ts';
import { finderOf } from '../../run-views/hidden-runs.ts';
import { pipelinesWithLines, viewIngestionRuns } from '../../run-views/ingestion-lines.ts';
import { phasesOf } from '../../run-views/ingestion-view.ts';
import { look } from '../change.ts';

type ListCall = Call<'ingestion-runs.list'>;

export const listIngestionRuns = handle('ingestion-runs.list', async (call) => {
  const { page, after } = call.query;
  if (page !== undefined && after !== undefined) throw new MillraceError('page_with_cursor');
  return after === undefined ? byNumber(call, page ?? 1) : byCursor(call, after);
});

async function byNumber(call: ListCall, page: number): Promise<AnswerOf<'ingestion-runs.list'>> {
  const { limit } = call.query;
  if ((page - 1) * limit >= PAGE_REACH) throw new MillraceError('page_too_deep', { page, limit, reach: PAGE_REACH });
  const wanted = { page, limit, reach: PAGE_REACH };
  const found = await findNumberedPage(finderOfLines(call), call.principal.tenantId, filterOf(call), wanted);
  return {
    data: await viewAll(call, found.rows),
    next: found.next,
    page,
    limit,
    total: found.total,
    total_pages: Math.ceil(found.total / limit),
    total_is_exact: found.isExact,
  };
}

async function byCursor(call: ListCall, after: string): Promise<AnswerOf<'ingestion-runs.list'>> {
  const { limit } = call.query;
  const found = await findRuns(finderOfLines(call), call.principal.tenantId, filterOf(call), { after, limit });
  return {
    data: await viewAll(call, found.rows),
    next: found.next,
    page: null,
    limit,
    total: null,
    total_pages: null,
    total_is_exact: null,
  };
}

const finderOfLines = (call: ListCall): Finder => ({ ...finderOf(call), lastOf: pipelinesWithLines(call.app) });

const viewAll = (call: ListCall, rows: RunPage['rows']) =>
  look(call, (db, tenantId) => viewIngestionRuns(call.app, db, tenantId, rows));

/** Support sees dead letters only, as in the list of runs: of the four statuses, `failed` is the one that holds any. */
function filterOf({ principal, query }: ListCall): Pick<RunQuery, 'phase' | 'status'> {
  const statuses = splitWords(query.status);
  if (principal.role === 'support')
    return statuses === null || statuses.includes('failed') ? { phase: 'dead' } : { phase: 'dead', status: 'none' };
  return statuses === null ? {} : { phase: phasesOf(statuses).join(',') };
}

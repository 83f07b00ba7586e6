// GET /v1/uploads: runs that started with a file. A page may be short while `next` is set, as with runs.

import { readUploadFacts } from '../../../engine/reads/read-upload-facts.ts';
import { handle } from '../../call.ts';
import { findRuns, splitWords } from '../../run-views/find-runs.ts';
import { finderOf } from '../../run-views/hidden-runs.ts';
import { viewUpload } from '../../run-views/upload-view.ts';
import { look } from '../change.ts';

export const listUploads = handle('uploads.list', async (call) => {
  const { after, limit, pipeline, platform, status } = call.query;
  const page = await findRuns(finderOf(call), call.principal.tenantId, { pipeline, status }, { after, limit });
  const platforms = splitWords(platform);
  const rows = page.rows.filter(
    (row) => row.blob_id !== null && (platforms === null || platforms.includes(String(row.input.platform))),
  );
  const facts = await look(call, (db, tenantId) =>
    readUploadFacts(
      db,
      tenantId,
      rows.map((row) => row.id),
    ),
  );
  const byRun = new Map(facts.map((each) => [each.run_id, each]));
  return { data: rows.map((row) => viewUpload(row, byRun.get(row.id))), next: page.next };
});

// The cleanup worker of ads: staging of uploads that ended more than seven days ago (engine/services/staging-cleaner.ts). Its database
// role could touch nothing in production. Rejects have their own, longer time (the pruner's).
import type { Staging } from '../../engine/services/staging-cleaner.ts';
import { stagedRows } from '../../engine/sql/staged-rows.ts';
import { deleteResolutions } from './sql/delete-resolutions.ts';

const staged = stagedRows('staging_rows', 'upload_id');

export const adsStaging: Staging = {
  pipeline: 'ads',
  role: 'ads_cleanup',
  listStaged: staged.list,
  deletions: [deleteResolutions, staged.remove],
};

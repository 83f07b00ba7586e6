// The cleanup worker of ads: staging of uploads that ended more than seven days ago (engine/services/staging-cleaner.ts). Its database
// role could touch nothing in production. Rejects have their own, longer time (the pruner's).
import type { Staging } from '../../engine/services/staging-cleaner.ts';
import { deleteResolutions, deleteStagedRows, listStagedUploads } from './sql/purge-staging.ts';

export const adsStaging: Staging = {
  pipeline: 'ads',
  role: 'ads_cleanup',
  listStaged: listStagedUploads,
  deletions: [deleteResolutions, deleteStagedRows],
};

// The cleanup worker of judgments: staging of batches that ended more than seven days ago (engine/services/staging-cleaner.ts). Its
// database role could touch nothing in production. Readings stay, because replays read by them; rejects have their own, longer time
// (the pruner's).
import type { Staging } from '../../engine/services/staging-cleaner.ts';
import { deleteStagedRows, deleteSupersededRows, listStagedBatches } from './sql/purge-staging.ts';

export const judgmentsStaging: Staging = {
  pipeline: 'judgments',
  role: 'judgments_cleanup',
  listStaged: listStagedBatches,
  deletions: [deleteSupersededRows, deleteStagedRows],
};

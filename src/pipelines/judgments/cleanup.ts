// The cleanup worker of judgments: staging of batches that ended more than seven days ago (engine/services/staging-cleaner.ts). Its
// database role could touch nothing in production. Readings stay, because replays read by them; rejects have their own, longer time
// (the pruner's).
import type { Staging } from '../../engine/services/staging-cleaner.ts';
import { stagedRows } from '../../engine/sql/staged-rows.ts';

const validated = stagedRows('intake.simplicity_validated_rows', 'batch_id');
/** Lines that repeated an earlier one. */
const superseded = stagedRows('intake.superseded_rows', 'batch_id');

export const judgmentsStaging: Staging = {
  pipeline: 'judgments',
  role: 'judgments_cleanup',
  listStaged: validated.list,
  deletions: [superseded.remove, validated.remove],
};

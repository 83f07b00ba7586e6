// Versions that runs left half built: of runs that failed without a chance to take them away, some days later.
import type { Staging } from '../../engine/services/staging-cleaner.ts';
import { deleteHalfBuilt, listHalfBuilt } from './sql/half-built.ts';

export const documentsStaging: Staging = {
  pipeline: 'documents',
  role: 'documents_cleanup',
  listStaged: listHalfBuilt,
  deletions: [deleteHalfBuilt],
};

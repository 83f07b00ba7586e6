// GET /v1/ingestion-runs/:run_id
import { handle } from '../../call.ts';
import { findWorkingRun } from '../../run-views/ingestion-lines.ts';
import { answerIngestionRun } from './answer.ts';

export const showIngestionRun = handle('ingestion-runs.show', (call) =>
  answerIngestionRun(call, (db) => findWorkingRun(call.app, db, call.principal, call.params.run_id)),
);

// GET /v1/pipelines
import { handle } from '../../call.ts';
import { describePipelines } from './describe-pipelines.ts';

export const listPipelines = handle('pipelines.list', async (call) => ({ data: await describePipelines(call) }));

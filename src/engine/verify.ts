// Verifying a receipt: the pipeline recounts the finished run from its blob and tables, and the two are compared.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Pool } from '../platform/database.ts';
import { readOwnRun } from './actions.ts';
import { pipelineNamed } from './enqueue.ts';
import type { Registry } from './pipeline.ts';
import { differences, isBalanced, type Receipt } from './receipt.ts';
import { statementByStatement } from './sql/statement-by-statement.ts';

export interface Verification {
  readonly runId: string;
  readonly agrees: boolean;
  readonly receipt: Receipt;
  readonly recount: Receipt;
  /** One sentence per disagreement. */
  readonly differences: readonly string[];
}

export async function verifyRun(
  pools: { readonly control: Pool; readonly effects: Pool },
  registry: Registry,
  tenantId: string,
  runId: string,
): Promise<Verification> {
  const run = await readOwnRun(pools.control, tenantId, runId);
  if (run.receipt === null || run.phase === 'waiting' || run.phase === 'active') {
    throw new MillraceError('verify_unfinished', { run: runId, status: run.status });
  }
  const pipeline = pipelineNamed(registry, run.pipeline);
  if (!pipeline.recount) throw new MillraceError('verify_unsupported', { pipeline: run.pipeline });
  const { recount: count } = pipeline;
  const facts = {
    id: run.id,
    tenantId: run.tenant_id,
    status: run.status,
    input: pipeline.input.parse(run.input),
    blobId: run.blob_id,
    receipt: run.receipt,
  };
  const recount = await count(facts, statementByStatement(pools.effects, tenantId));
  const found = differences(run.receipt, recount);
  if (!isBalanced(run.receipt)) found.push('the receipt itself does not add up');
  return { runId, agrees: found.length === 0, receipt: run.receipt, recount, differences: found };
}

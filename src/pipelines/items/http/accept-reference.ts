// POST /api/jobs with a reference instead of a file: an object of a connected source becomes a job as if it had been uploaded. Its bytes are taken now,
// so the job is of what lies there at this moment. A user who may not see the source's jobs may not read its objects either.
import { faultsIn } from '../../../contract/errors/faults-in.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type JobFields, JobReference } from '../../../contract/pipelines/items/api.ts';
import type { Call } from '../../../http/call.ts';
import { engineOf } from '../../../http/engine-of.ts';
import { acceptFile, type Intake } from '../../../sources/intake.ts';
import type { ItemsDeps } from '../deps.ts';

/** A place that does not answer holds this request up, and nothing else. */
const FETCH_MS = 5 * 60_000;

export async function acceptReference(
  call: Call<'jobs.create'>,
  deps: ItemsDeps,
  intake: Intake<typeof JobFields>,
): Promise<{ jobId: string }> {
  const { app, principal, origin, idempotencyKey, operation } = call;
  const { connected, store } = deps;
  if (connected === undefined) throw new MillraceError('not_available', { operation });
  const { source_id: sourceId, key, ...fields } = referenceOf(call.body);
  const { tenantId, actorId, kind, role } = principal;
  const engine = engineOf(call);
  const fetched = await connected.fetch({
    tenantId,
    sourceId,
    key,
    sniff: intake.sniff,
    signal: AbortSignal.timeout(FETCH_MS),
    onlyOf: role === 'user' ? actorId : undefined,
  });
  const createdBy = kind === 'user' ? actorId : (fetched.createdBy ?? undefined);
  const { answer } = await acceptFile({ store, pool: app.pool, control: engine.pools.control }, intake, {
    tenantId,
    fields,
    file: fetched.file,
    at: fetched.at,
    createdBy,
    sourceId,
    origin: fetched.origin,
    correlationId: origin.correlationId ?? undefined,
    uniqueKey: idempotencyKey === undefined ? undefined : `job:${idempotencyKey}:${fetched.uniqueKey}`,
  });
  call.trail.acted({ target: answer.runId, data: { source: sourceId } });
  call.reply.code(202);
  return { jobId: answer.runId };
}

function referenceOf(body: unknown) {
  const parsed = JobReference.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new MillraceError('request_invalid', { faults: faultsIn(parsed.error, 'body') });
}

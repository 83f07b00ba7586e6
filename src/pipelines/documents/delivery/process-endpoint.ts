// POST /internal/process of an ingest worker: the specification's answers. 202 means that the ledger has the run under way, or ended; what an
// answer that is lost leaves open is asked of the ledger.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { hasBearer } from '../../../http/bearer-token.ts';
import type { Log } from '../../../platform/log.ts';
import type { PayloadDeps } from './job-payload.ts';
import { receiveJob } from './receive-job.ts';

export interface EndpointDeps extends PayloadDeps {
  /** Undefined: nobody may. */
  readonly token: string | undefined;
  readonly log: Log;
}

const PROCESS_PATH = '/internal/process';
/** As much as a message on a queue may have. */
const MAX_BYTES = 256 * 1024;

/** False: it is for somebody else. */
export async function answerProcess(
  deps: EndpointDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (new URL(request.url ?? '/', 'http://worker').pathname !== PROCESS_PATH) return false;
  if (!hasBearer(request.headers.authorization, deps.token)) send(response, 401, { error: 'unauthorized' });
  else if (request.method !== 'POST') send(response, 405, { error: 'only POST is answered' });
  else await process(deps, request, response);
  return true;
}

async function process(deps: EndpointDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { fate, run } = await receiveJob(deps, await readJson(request));
    if (fate === 'busy') return send(response, 503, { error: 'worker busy' });
    deps.log.info({ run_id: run.id, tenant_id: run.tenant_id, fate }, 'a job was accepted');
    return send(response, 202, { status: 'accepted', run_id: run.id });
  } catch (error) {
    const isRefused = error instanceof MillraceError && error.code === 'job_payload_invalid';
    if (isRefused) deps.log.warn({ code: error.code, reason: error.message }, 'a job was refused');
    else deps.log.warn({ err: error }, 'a job could not be accepted');
    return isRefused
      ? send(response, 422, { error: error.message, code: error.code })
      : send(response, 503, { error: 'the ledger does not answer' });
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES)
      throw new MillraceError('job_payload_invalid', { reason: `it has more than ${MAX_BYTES} bytes` });
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new MillraceError('job_payload_invalid', { reason: 'it is not JSON' });
  }
}

function send(response: ServerResponse, status: number, body: Readonly<Record<string, unknown>>): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

// One upload over XMLHttpRequest, the only browser interface that tells how much of a request has left.

import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import type { Problem } from '../../../../src/contract/api/problem.ts';
import { ApiError, urlOf } from '../../app/api.ts';

export interface Destination {
  readonly pipeline?: string;
  readonly platform?: string;
  /** The run whose downloaded rejects this file corrects. */
  readonly retryOf?: string;
}

export type UploadAnswer = AnswerOf<'uploads.create'>;
type BatchAnswer = AnswerOf<'batches.create'>;

export function sendFile(
  file: File,
  to: Destination,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const isBatch = to.pipeline === 'judgments';
  const form = isBatch ? batchFieldsOf(to) : fieldsOf(file, to);
  form.set('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', urlOf(isBatch ? 'batches.create' : 'uploads.create'));
    request.responseType = 'json';
    request.setRequestHeader('idempotency-key', crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
    request.upload.onprogress = (event) => onProgress(Math.min(event.loaded, file.size));
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status < 300) resolve(isBatch ? asUpload(answer as BatchAnswer) : (answer as UploadAnswer));
      else reject(refusal(answer, request));
    };
    request.onerror = () => reject(new TypeError('The connection broke during the upload.'));
    request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

/** The fields of an upload; they go before the file, so that they are known while it streams. */
function fieldsOf(file: File, to: Destination): FormData {
  const form = new FormData();
  if (to.pipeline) form.set('pipeline', to.pipeline);
  if (to.platform) form.set('platform', to.platform);
  if (to.retryOf) form.set('retry_of', to.retryOf);
  else if (file.lastModified > 0) form.set('reported_at', new Date(file.lastModified).toISOString());
  form.set('source', 'manual');
  return form;
}

/** A batch has its id from vendor and file name, or from the run whose rejects come back. */
function batchFieldsOf(to: Destination): FormData {
  const form = new FormData();
  if (to.retryOf) form.set('retry_of', to.retryOf);
  return form;
}

function asUpload({ run_id, status, same_bytes_as }: BatchAnswer): UploadAnswer {
  return { upload_id: run_id, status, ...(same_bytes_as ? { same_bytes_as: same_bytes_as.run_id } : {}) };
}

function refusal(answer: unknown, request: XMLHttpRequest): ApiError {
  const wait = Number(request.getResponseHeader('retry-after')) || undefined;
  if (typeof answer === 'object' && answer !== null && 'code' in answer) return new ApiError(answer as Problem, wait);
  return new ApiError(
    {
      type: 'about:blank',
      title: 'Upload refused',
      status: request.status,
      detail: `The server answered ${request.status} without a reason. The file was not taken.`,
      code: 'internal',
      next: 'Try again in a moment.',
      instance: '/v1/uploads',
      correlation_id: '',
    },
    wait,
  );
}

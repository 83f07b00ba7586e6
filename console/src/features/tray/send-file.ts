// One upload over XMLHttpRequest, the only browser interface that tells how much of a request has left.

import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import type { Problem } from '../../../../src/contract/api/problem.ts';
import { ApiError, urlOf } from '../../app/api.ts';

export interface Destination {
  readonly pipeline: string;
  /** Form fields beside the pipeline. */
  readonly fields: Readonly<Record<string, string>>;
}

export type UploadAnswer = AnswerOf<'uploads.create'>;

export function sendFile(
  file: File,
  to: Destination,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const form = fieldsOf(to);
  form.set('file', file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', urlOf('uploads.create'));
    request.responseType = 'json';
    request.setRequestHeader('idempotency-key', crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
    request.upload.onprogress = (event) => onProgress(Math.min(event.loaded, file.size));
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status < 300) resolve(answer as UploadAnswer);
      else reject(refusal(answer, request));
    };
    request.onerror = () => reject(new TypeError('The connection broke during the upload.'));
    request.onabort = () => reject(new DOMException('Stopped.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

/** The fields of an upload; they go before the file, so that they are known while it streams. */
function fieldsOf({ pipeline, fields }: Destination): FormData {
  const form = new FormData();
  form.set('pipeline', pipeline);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

function refusal(answer: unknown, request: XMLHttpRequest): ApiError {
  const wait = Number(request.getResponseHeader('retry-after')) || undefined;
  if (typeof answer === 'object' && answer !== null && 'code' in answer) return new ApiError(answer as Problem, wait);
  return new ApiError(
    {
      type: 'about:blank',
      title: 'Upload refused',
      status: request.status,
      detail: `The server answered ${request.status} without a reason. It did not accept the file.`,
      code: 'internal',
      next: 'Try again in a moment.',
      instance: '/v1/uploads',
      correlation_id: '',
    },
    wait,
  );
}

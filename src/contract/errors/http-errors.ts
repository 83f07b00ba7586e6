// Errors of the HTTP layer itself and of the resources it serves that belong to no pipeline.
import { defineErrors } from './entry.ts';

export const httpErrors = defineErrors({
  route_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is nothing at {method} {path}.',
    next: 'See /docs for what there is.',
  },
  request_invalid: {
    kind: 'input',
    status: 400,
    message: 'The request is not valid: {faults}.',
    next: 'Correct the named fields; /docs shows what is expected.',
  },
  body_malformed: {
    kind: 'input',
    status: 400,
    message: 'The body is not valid JSON.',
    next: 'Send JSON with "Content-Type: application/json".',
  },
  body_too_large: {
    kind: 'input',
    status: 413,
    message: 'The body is larger than is taken here.',
    next: 'Send less at once.',
  },
  media_type_unsupported: {
    kind: 'input',
    status: 415,
    message: 'The content type "{type}" is not taken here.',
    next: 'Send {expected}.',
  },
  request_timeout: {
    kind: 'transient',
    status: 408,
    message: 'The request did not arrive in time.',
    next: 'Send it again.',
  },
  overloaded: {
    kind: 'transient',
    status: 503,
    message: 'The server is busy.',
    next: 'Try again in {seconds} s.',
  },
  shutting_down: {
    kind: 'transient',
    status: 503,
    message: 'This server is stopping.',
    next: 'Try again in a moment.',
  },
  upgrade_required: {
    kind: 'input',
    status: 426,
    message: 'This address speaks WebSocket only.',
    next: 'Open it as a WebSocket, or use GET /v1/events/stream.',
  },
  origin_refused: {
    kind: 'auth',
    status: 403,
    message: 'A request with a session cookie must come from the console itself.',
    next: 'Use an API key or a bearer token from other programs.',
  },
  idempotency_key_invalid: {
    kind: 'input',
    status: 400,
    message: 'The Idempotency-Key must have 1 to 200 printable characters.',
    next: 'Use a UUID.',
  },
  idempotency_key_reused: {
    kind: 'conflict',
    status: 422,
    message: 'This Idempotency-Key was used for a different request.',
    next: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    kind: 'conflict',
    status: 409,
    message: 'A request with this Idempotency-Key is still being worked on.',
    next: 'Try again in a moment with the same key; you will get its answer.',
  },
  not_available: {
    kind: 'config',
    status: 501,
    message: 'This installation does not offer "{operation}".',
    next: 'Start a version of Millrace that has it.',
  },
  upload_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no upload {upload}.',
    next: 'Check the id; GET /v1/uploads lists the uploads you may see.',
  },
  reading_not_ready: {
    kind: 'conflict',
    status: 409,
    message: 'Upload {upload} has not been read yet.',
    next: 'Wait until its run has started.',
  },
  reject_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no reject {reject} in run {run}.',
    next: 'Check the id; GET /v1/runs/{run}/rejects lists them.',
  },
  reject_settled: {
    kind: 'conflict',
    status: 409,
    message: 'Reject {reject} was already {status}.',
    next: 'Nothing to correct any more.',
  },
  fix_unknown: {
    kind: 'input',
    status: 422,
    message: 'The fix "{fix}" is not known for column "{column}".',
    next: 'GET …/rejects/clusters names the fixes that can be applied.',
  },
  nothing_to_replay: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} has no corrected rows that wait to be replayed.',
    next: 'Correct some rejects first.',
  },
  bulk_count_missing: {
    kind: 'input',
    status: 400,
    message: 'A bulk action needs the count its preview gave.',
    next: 'Ask with "preview": true, then send its count as "expected".',
  },
  metric_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no stored number {metric}.',
    next: 'Take the id from GET /v1/ads/daily-metrics.',
  },
  sample_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no sample "{sample}".',
    next: 'GET /v1/samples lists them.',
  },
});

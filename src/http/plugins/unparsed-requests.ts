// Requests that Node cannot parse (a NUL in a header, bytes in an address that are none, headers without end) reach no route and no hook.
// They are answered here, on the bare socket, with the problem object that every other refusal has.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problemMediaType } from '../../contract/api/problem.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { problemAnswer } from '../problem-answer.ts';
import { apiPolicy } from './security-headers.ts';

export function answerUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  // Nobody is there to hear it.
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.write(answerTo(error));
  socket.destroy(error);
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  const correlationId = uuidv7();
  // What was asked for is not known.
  const { problem } = problemAnswer(refusalOf(code), { path: '/', correlationId });
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${problemMediaType}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-correlation-id: ${correlationId}`,
    `content-security-policy: ${apiPolicy}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function refusalOf(code: string | undefined): MillraceError {
  if (code === 'HPE_HEADER_OVERFLOW') return new MillraceError('headers_too_large');
  return new MillraceError(code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'request_unparsed');
}

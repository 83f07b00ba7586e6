// An answer as Server-Sent Events: `evidence`, a `sentence` each once it is checked, and `done` with the whole answer or `error` with a problem.
// Who hangs up stops the work.
import type { FastifyReply } from 'fastify';
import type { Call } from '../../../http/call.ts';
import { streamHeaders } from '../../../http/live/stream-headers.ts';
import { problemAnswer } from '../../../http/problem-answer.ts';
import type { Answer, Listener } from '../search/ask-question.ts';

export async function streamAnswer(
  { reply, request, app }: Call<'search.ask'>,
  work: (listener: Listener) => Promise<Answer>,
): Promise<FastifyReply> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...streamHeaders, 'x-correlation-id': request.id });
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  const send = (event: string, data: unknown) => {
    if (!raw.writableEnded && !raw.destroyed) raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  try {
    const answer = await work({
      signal: gone.signal,
      onEvidence: (hits) => send('evidence', { hits }),
      onSentence: (sentence) => send('sentence', sentence),
    });
    send('done', answer);
  } catch (error) {
    const { problem, isFault } = problemAnswer(error, { path: request.url, correlationId: request.id });
    if (!gone.signal.aborted && isFault)
      app.log.error({ err: error, operation: 'search.ask' }, 'a streamed answer failed');
    send('error', problem);
  } finally {
    raw.end();
  }
  return reply;
}

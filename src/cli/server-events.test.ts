import { describe, expect, it } from 'vitest';
import { readServerEvents } from './server-events.ts';

async function read(...chunks: string[]): Promise<string[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  const events: string[] = [];
  for await (const event of readServerEvents(new Response(body))) events.push(event);
  return events;
}

describe('server events', () => {
  it('a message is whole only at its blank line, however the bytes are cut', async () => {
    expect(await read('id: 1\nda', 'ta: {"a":1}\n', '\ndata: b\n\n')).toEqual(['{"a":1}', 'b']);
  });

  it('several data lines are one message, comments and names are no data', async () => {
    expect(await read(': alive\n\nevent: x\ndata: one\ndata: two\n\n')).toEqual(['one\ntwo']);
  });

  it('what was cut off at the end is no message', async () => {
    expect(await read('data: whole\n\ndata: cut')).toEqual(['whole']);
  });
});

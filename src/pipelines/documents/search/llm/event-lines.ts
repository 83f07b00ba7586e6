// Server-Sent Events as an HTTP answer brings them: the data of each, parsed.
import { MillraceError } from '../../../../contract/errors/millrace-error.ts';

const MAX_PENDING = 1_000_000;

export async function* readEvents(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let pending = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    pending += decoder.decode(bytes, { stream: true });
    if (pending.length > MAX_PENDING) throw garbage();
    const lines = pending.split(/\r?\n/);
    pending = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield parse(line.slice(5).trim());
  }
  if (pending.startsWith('data:')) yield parse(pending.slice(5).trim());
}

function parse(data: string): unknown {
  if (data === '[DONE]') return data;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw garbage();
}

function garbage(): MillraceError {
  return new MillraceError('llm_failed', { reason: 'its answer cannot be read' });
}

// Server-Sent Events, as far as our own feed uses them: messages of data lines, divided by blank lines, comments ignored.

/** The data of each message, until the stream ends. */
export async function* readServerEvents(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const messages = `${rest}${decoder.decode(chunk as Uint8Array, { stream: true })}`.split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const data = message
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart());
      if (data.length > 0) yield data.join('\n');
    }
  }
}

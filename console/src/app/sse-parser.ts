// Reads Server-Sent Events out of text chunks that may be cut anywhere. It drops comments and empty messages.
export interface SseMessage {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Feed it text; it answers with the messages that are complete. */
export function createSseParser(): (chunk: string) => SseMessage[] {
  let rest = '';
  return (chunk) => {
    rest += chunk;
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    return blocks.map(readBlock).filter((message) => message !== undefined);
  };
}

function readBlock(block: string): SseMessage | undefined {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return data.length > 0 || event !== 'message' ? { id, event, data: data.join('\n') } : undefined;
}

// Writes multipart bodies by hand, right and wrong ones, and sends raw bytes over a socket: what a browser would never do.
import net from 'node:net';

export const boundary = '----millrace-test-boundary';
export const multipartType = `multipart/form-data; boundary=${boundary}`;

export function field(name: string, value: string): Buffer {
  return Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
}

export function filePart(fileName: string, content: Buffer | string, name = 'file'): Buffer {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${fileName}"\r\ncontent-type: text/csv\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

export function form(...parts: Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

export interface RawAnswer {
  readonly status: number;
  readonly body: { code?: string; [key: string]: unknown };
  readonly head: string;
}

export interface RawRequest {
  readonly socket: net.Socket;
  readonly answer: Promise<RawAnswer>;
}

/** Opens a connection and sends only the request's head; the test sends the rest as it likes. */
export async function openRequest(
  port: number,
  headers: Record<string, string | number>,
  path = '/',
): Promise<RawRequest> {
  const socket = net.connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const lines = Object.entries({ host: 'test', 'content-type': multipartType, ...headers }).map(
    ([key, value]) => `${key}: ${value}`,
  );
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return { socket, answer: readAnswer(socket) };
}

export async function sendRaw(
  port: number,
  body: Buffer,
  headers: Record<string, string | number> = {},
): Promise<RawAnswer> {
  const { socket, answer } = await openRequest(port, { 'content-length': body.byteLength, ...headers });
  socket.write(body);
  const received = await answer;
  socket.destroy();
  return received;
}

function readAnswer(socket: net.Socket): Promise<RawAnswer> {
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = text.slice(0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const body = Buffer.from(text.slice(headEnd + 4), 'latin1');
      if (body.byteLength < length) return;
      resolve({ status: Number(head.split(' ')[1]), head, body: parse(body.toString()) });
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
  });
  answer.catch(() => undefined);
  return answer;
}

function parse(text: string): RawAnswer['body'] {
  try {
    return JSON.parse(text) as RawAnswer['body'];
  } catch {
    return { text };
  }
}

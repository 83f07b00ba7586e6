// A server that says it is an old Postgres and nothing more: enough of the wire protocol to sign in and to be asked for its version.
// No old server can be had from npm, and the answer to this one question is all that differs.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface OldPostgres {
  readonly url: string;
  /** Every statement that came in. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const INT4 = 23;
const TEXT = 25;
const SSL_REQUEST = 80_877_103;

export async function startOldPostgres(number: number, text: string): Promise<OldPostgres> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let signedIn = false;
    let pending = Buffer.alloc(0);
    socket.on('data', (part: Buffer) => {
      pending = Buffer.concat([pending, part]);
      for (;;) {
        const head = signedIn ? 1 : 0;
        if (pending.length < head + 4) return;
        const end = head + pending.readInt32BE(head);
        if (pending.length < end) return;
        const packet = pending.subarray(0, end);
        pending = pending.subarray(end);
        if (!signedIn && packet.readInt32BE(4) === SSL_REQUEST) socket.write('N');
        else if (!signedIn) {
          signedIn = true;
          socket.write(Buffer.concat([message('R', int32(0)), ready]));
        } else if (packet[0] === 0x51) {
          const sql = packet.toString('utf8', 5, packet.length - 1);
          asked.push(sql.trim());
          socket.write(sql.includes('server_version_num') ? versionAnswer(number, text) : done);
        } else if (packet[0] === 0x58) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://somebody:hidden@127.0.0.1:${port}/millrace`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function versionAnswer(number: number, text: string): Buffer {
  const columns = [column('number', INT4), column('text', TEXT)];
  const values = [String(number), text].map((value) =>
    Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
  );
  return Buffer.concat([
    message('T', Buffer.concat([int16(2), ...columns])),
    message('D', Buffer.concat([int16(2), ...values])),
    done,
  ]);
}

function column(name: string, type: number): Buffer {
  return Buffer.concat([cString(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]);
}

function message(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const ready = message('Z', Buffer.from('I'));
const done = Buffer.concat([message('C', cString('SELECT 1')), ready]);

// Sends the large parameters of a statement from where they lie. pg copies all parameters into one growing buffer, which it gives away with
// each statement: for the 2.5 MB of 8,000 staged rows that made 10 MB of buffers, 33 times per 50 MB of file, and the process kept what the
// allocator could not join again.
//
// A parameter must not be changed before the statement is answered.
import type { Socket } from 'node:net';

/** Smaller ones are copied: a piece of its own costs more than it saves. */
const LARGE_BYTES = 4_096;
const BIND = 66;
const BINARY = 1;

interface Portal {
  readonly portal?: string;
  readonly statement?: string;
  readonly values?: readonly unknown[];
  readonly binary?: boolean;
  readonly valueMapper?: (value: unknown, index: number) => unknown;
}

/** What pg's connection offers beyond its declared types. */
export interface BindWire {
  readonly stream: Pick<Socket, 'write' | 'cork' | 'uncork' | 'writable'>;
  bind(portal: Portal): void;
}

const isLarge = (value: unknown): value is Buffer => Buffer.isBuffer(value) && value.length >= LARGE_BYTES;

/** From now on, for the life of the connection. */
export function bindInPieces(wire: BindWire): void {
  const bind = wire.bind.bind(wire);
  wire.bind = (portal) => {
    if (portal.values?.some(isLarge) !== true) return bind(portal);
    const pieces = messageOf(portal, portal.values);
    const { stream } = wire;
    if (!stream.writable) return;
    stream.cork();
    for (const piece of pieces) stream.write(piece);
    stream.uncork();
  };
}

/** Bind of the protocol: portal, statement, a format for each parameter, the parameters with their lengths, one format for all results. */
function messageOf({ portal = '', statement = '', binary, valueMapper }: Portal, values: readonly unknown[]): Buffer[] {
  const parameters = values.map((value, index) => bytesOf(valueMapper ? valueMapper(value, index) : value));
  const pieces: Buffer[] = [];
  let small = [int8(BIND), int32(0), cString(portal), cString(statement), int16(values.length)];
  small.push(...parameters.map(({ format }) => int16(format)), int16(values.length));
  for (const { bytes } of parameters) {
    small.push(int32(bytes === null ? -1 : bytes.length));
    if (bytes === null) continue;
    if (isLarge(bytes)) {
      pieces.push(Buffer.concat(small), bytes);
      small = [];
    } else small.push(bytes);
  }
  small.push(int16(1), int16(binary === true ? BINARY : 0));
  pieces.push(Buffer.concat(small));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  // The first piece begins with the kind of message, which does not count, and the place for the length.
  pieces[0]?.writeInt32BE(length - 1, 1);
  return pieces;
}

function bytesOf(value: unknown): { readonly bytes: Buffer | null; readonly format: number } {
  if (Buffer.isBuffer(value)) return { bytes: value, format: BINARY };
  return { bytes: value === null || value === undefined ? null : Buffer.from(String(value)), format: 0 };
}

function int8(value: number): Buffer {
  return Buffer.of(value);
}

function int16(value: number): Buffer {
  return Buffer.of((value >> 8) & 0xff, value & 0xff);
}

function int32(value: number): Buffer {
  return Buffer.of((value >> 24) & 0xff, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);
}

function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

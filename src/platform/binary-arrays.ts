// Arrays as Postgres sends and takes them in binary. A Buffer among the values of a statement travels as it is, so the server parses no text.
const INT4 = 23;
const INT8 = 20;
const JSON_TEXT = 114;
const JSONB = 3802;
const HEADER = 20;
const JSONB_VERSION = 1;

export function int4Array(values: readonly number[]): Buffer {
  const buffer = begin(INT4, values.length, HEADER + values.length * 8, false);
  let at = HEADER;
  for (const value of values) {
    buffer.writeInt32BE(4, at);
    buffer.writeInt32BE(value, at + 4);
    at += 8;
  }
  return buffer;
}

/** Whole numbers that a double holds. */
export function int8Array(values: readonly (number | null)[]): Buffer {
  const buffer = begin(INT8, values.length, HEADER + values.length * 12, true);
  let at = HEADER;
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : 8, at);
    if (value === null) continue;
    at = buffer.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = buffer.writeUInt32BE(value >= 0 ? value % 2 ** 32 : value - Math.floor(value / 2 ** 32) * 2 ** 32, at);
  }
  return buffer.subarray(0, at);
}

/** Each a document as JSON. */
export function jsonArray(type: 'json' | 'jsonb', values: readonly (string | null)[]): Buffer {
  const versionBytes = type === 'jsonb' ? 1 : 0;
  // A code unit takes three bytes at most; most texts need a third of it.
  let units = 0;
  for (const value of values) units += value?.length ?? 0;
  const buffer = begin(
    type === 'jsonb' ? JSONB : JSON_TEXT,
    values.length,
    HEADER + values.length * 5 + units * 3,
    true,
  );
  let at = HEADER;
  for (const value of values) {
    if (value === null) {
      at = buffer.writeInt32BE(-1, at);
      continue;
    }
    if (type === 'jsonb') buffer[at + 4] = JSONB_VERSION;
    const bytes = buffer.write(value, at + 4 + versionBytes) + versionBytes;
    buffer.writeInt32BE(bytes, at);
    at += bytes + 4;
  }
  return buffer.subarray(0, at);
}

function begin(element: number, length: number, bytes: number, mayHaveNulls: boolean): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(mayHaveNulls ? 1 : 0, 4);
  buffer.writeInt32BE(element, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
  return length === 0 ? buffer.subarray(0, 12) : buffer;
}

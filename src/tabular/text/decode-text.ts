// Bytes in a named encoding as text. iconv-lite knows most of them; ISO-2022-JP, which switches alphabets by escapes, is Node's own.
// Escapes never outlive a line, so a block of whole lines can be decoded by itself.
import iconv from 'iconv-lite';

const ISO_2022_JP = 'iso-2022-jp';

export function canDecode(encoding: string): boolean {
  return encoding === ISO_2022_JP || iconv.encodingExists(encoding);
}

/** Bytes without a meaning become U+FFFD. A byte order mark is kept as text. */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  if (encoding === ISO_2022_JP) return new TextDecoder(ISO_2022_JP, { ignoreBOM: true }).decode(bytes);
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), encoding, { stripBOM: false });
}

/** How many bytes the text takes in the encoding; null where that depends on what stands before it. */
export function encodedLength(text: string, encoding: string): number | null {
  if (encoding.startsWith('utf-16')) return text.length * 2;
  if (encoding.startsWith('utf-32')) return [...text].length * 4;
  if (encoding === ISO_2022_JP) return null;
  // A byte without a meaning became U+FFFD; it is one byte.
  return iconv.encode(text.replaceAll('\uFFFD', '?'), encoding).length;
}

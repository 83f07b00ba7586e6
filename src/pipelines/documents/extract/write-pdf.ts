// A PDF from its objects: the first is the catalog, the cross-reference table is counted here.

/** A stream is its dictionary and its bytes. */
export type PdfObject = string | { readonly dict: string; readonly bytes: Uint8Array };

/** `trailer` adds to the trailer's dictionary. */
export function writePdf(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const write = (part: string | Uint8Array) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    write(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') write(object);
    else {
      write(`<< ${object.dict} /Length ${object.bytes.length} >>\nstream\n`);
      write(object.bytes);
      write('\nendstream');
    }
    write('\nendobj\n');
  }
  const xref = length;
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  for (const at of offsets) write(`${String(at).padStart(10, '0')} 00000 n \n`);
  write(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${xref}\n%%EOF\n`);
  return Buffer.concat(parts);
}

// What a document file may be, by its first bytes and its name.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { extensionOf } from '../../engine/blobs/file-name.ts';
import type { Sniffed } from '../../engine/blobs/store-file.ts';
import { type ContentKind, describeContent, sniffContent } from '../../tabular/content/sniff-content.ts';
import type { Format } from './extract/extraction-messages.ts';

const mediaTypes: Readonly<Record<Format, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
};

const byExtension: Readonly<Record<string, { readonly format: Format; readonly kinds: readonly ContentKind[] }>> = {
  pdf: { format: 'pdf', kinds: ['pdf'] },
  docx: { format: 'docx', kinds: ['docx'] },
  html: { format: 'html', kinds: ['html', 'xml', 'text'] },
  htm: { format: 'html', kinds: ['html', 'xml', 'text'] },
  xhtml: { format: 'html', kinds: ['html', 'xml'] },
  txt: { format: 'txt', kinds: ['text', 'json', 'ndjson', 'xml', 'html'] },
  text: { format: 'txt', kinds: ['text', 'json', 'ndjson', 'xml', 'html'] },
  md: { format: 'md', kinds: ['text', 'html', 'xml', 'json'] },
  markdown: { format: 'md', kinds: ['text', 'html', 'xml', 'json'] },
};

export const documentExtensions = Object.keys(byExtension);

export function sniffDocument(head: Uint8Array, fileName: string): Sniffed {
  const kind = sniffContent(head);
  const extension = extensionOf(fileName);
  const known = byExtension[extension];
  if (kind === 'encrypted_office') throw new MillraceError('document_encrypted');
  // The signature is that of all files of these programs; a document is more likely here than a table.
  if (kind === 'xls')
    throw new MillraceError('document_type_unknown', { found: 'a file of Office 97–2003 (.doc, .xls)' });
  if (known === undefined)
    throw new MillraceError('document_type_unknown', {
      found: extension === '' ? describeContent(kind) : `.${extension}`,
    });
  // The zip directory of a DOCX may begin with parts of any name: its reader looks closer.
  const isLikely = known.kinds.includes(kind) || (known.format === 'docx' && kind === 'zip');
  if (!isLikely)
    throw new MillraceError('content_mismatch', { extension: `.${extension}`, found: describeContent(kind) });
  return { format: known.format, mediaType: mediaTypes[known.format] };
}

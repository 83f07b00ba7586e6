// The header that names a download (RFC 6266): a plain ASCII name for old programs, the true name in UTF-8 for the rest.
// Always "attachment": nothing a tenant stored is ever shown by a browser as a page of ours.
import { displayName } from '../../engine/blobs/file-name.ts';

export function attachmentHeader(name: string): string {
  const shown = displayName(name) ?? 'download';
  const plain = shown
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // Percent signs are read as an encoding by some browsers, quotes and backslashes end or escape the value.
    .replace(/[^\x20-\x7e]|[%"\\;]/gu, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(shown)}`;
}

/** RFC 5987: encodeURIComponent leaves five characters that the header's grammar does not allow. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

// What a job may be made of: a table, one image, or a ZIP archive of images.
import type { Sniff } from '../../engine/blobs/store-file.ts';
import { checkExtension, sniffContent } from '../../tabular/content/sniff-content.ts';
import { sniffTableFile } from '../../tabular/content/table-file.ts';

export const imageEndings = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'tif', 'tiff'] as const;
const isNamedImage = new RegExp(`\\.(?:${imageEndings.join('|')})$`, 'i');

export function isImageName(fileName: string): boolean {
  return isNamedImage.test(fileName);
}

/** An image is known by its name first: what its bytes are is told by the process that looks at it, and an image that is none is an item with an ERROR. */
export const sniffItemFile: Sniff = (head, fileName) => {
  if (isImageName(fileName))
    return { format: 'image', mediaType: 'application/octet-stream', extensions: [...imageEndings] };
  if (sniffContent(head) !== 'zip') return sniffTableFile(head, fileName);
  checkExtension(fileName, 'zip');
  return { format: 'zip', mediaType: 'application/zip', extensions: ['zip'] };
};

// What the process that looks at images is asked and what it answers.

export interface ImageRequest {
  readonly id: number;
  /** As it lies in the archive. */
  readonly packed: Uint8Array;
  readonly isDeflated: boolean;
}

export interface ImageFacts {
  readonly format: string;
  /** As it is looked at: turned by its orientation. */
  readonly width: number;
  readonly height: number;
  /** 1 to 8, as EXIF has it. */
  readonly orientation: number | null;
  /** Local time of the camera, or with its offset where that is known. */
  readonly takenAt: string | null;
  /** 64 bits in hexadecimal: images that look alike differ in few of them. */
  readonly hash: string;
  readonly barcodes: readonly { readonly format: string; readonly text: string }[];
}

export type ImageAnswer =
  | { readonly id: number; readonly facts: ImageFacts }
  | { readonly id: number; readonly fault: ImageFault; readonly reason: string };

/** Faults of the file itself: asking again cannot change them. */
export type ImageFault = 'image_unknown' | 'image_damaged' | 'image_too_large';

/** Unpacked bytes, and pixels, that one image may have. */
export const MAX_IMAGE_BYTES = 64 * 1024 ** 2;
export const MAX_PIXELS = 100_000_000;

// What an upload may be. Every limit has its own answer in the catalogue (upload_*, file_*).
import { defaultLinger, type LingerLimits } from './linger.ts';
import type { MultipartLimits } from './multipart-reader.ts';
import type { PaceLimits } from './request-body.ts';

export interface UploadLimits extends PaceLimits, MultipartLimits, LingerLimits {
  /** UPLOAD_MAX_SIZE_MB. */
  readonly maxFileBytes: number;
  readonly maxFieldBytes: number;
  /** Uploads one process receives at a time; the next one is asked to come back. */
  readonly maxAtOnce: number;
}

export const defaultUploadLimits: UploadLimits = {
  maxFileBytes: 50 * 1024 * 1024,
  maxFieldBytes: 64 * 1024,
  maxParts: 40,
  maxHeaderBytes: 8 * 1024,
  maxAtOnce: 400,
  idleMs: 20_000,
  minBytesPerSecond: 512,
  rateWindowMs: 30_000,
  ...defaultLinger,
};

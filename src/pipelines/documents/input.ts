// What a documents run is asked to do, plain JSON in the ledger: the specification's config beside the document's identity.
import { z } from 'zod';

const formats = ['pdf', 'docx', 'html', 'txt', 'md'] as const;
const PageWish = z.enum(['ocr', 'exclude']);

export const DocumentInput = z.object({
  doc_id: z.uuid(),
  title: z.string(),
  /** The format of the bytes. */
  source_type: z.enum(formats),
  source_uri: z.string(),
  /** How it came in: upload, folder, s3 … */
  channel: z.string(),
  run_type: z.enum(['manual_upload', 's3_sync', 'source', 'folder']),
  original_filename: z.string(),
  content_type: z.string(),
  file_size_bytes: z.int().min(0),
  content_hash: z.string(),
  /** documents.observed_seq when the bytes were taken in. */
  source_seq: z.int().min(1),
  /** What a person asked for, by page number. A run with wishes makes a new version of the same bytes. */
  pages: z.record(z.string(), PageWish).optional(),
  /** Made again on purpose: the version is replaced though its bytes are served already. */
  again: z.boolean().optional(),
});
export type DocumentInput = z.infer<typeof DocumentInput>;

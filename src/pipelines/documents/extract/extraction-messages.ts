// What the extraction process is asked and what it answers.
import type { ErrorParams } from '../../../contract/errors/millrace-error.ts';
import type { ReadPage, Unit } from './page.ts';

export type Format = 'pdf' | 'docx' | 'html' | 'txt' | 'md';

export interface OpenRequest {
  readonly ask: 'open';
  readonly path: string;
  readonly format: Format;
  readonly ocr: 'off' | 'auto';
  readonly tessdata: string;
  readonly language: string;
  readonly asked: Readonly<Record<string, 'ocr' | 'exclude'>>;
  /** Pages may be parsed before they are asked for (the default). Not by a reader that comes after one that was lost. */
  readonly isAhead?: boolean;
}

export type ExtractionRequest =
  | OpenRequest
  | { readonly ask: 'pages'; readonly from: number; readonly to: number }
  | { readonly ask: 'image'; readonly pageNo: number; readonly dpi: number };

export interface Opened {
  readonly unit: Unit;
  readonly pages: number;
  readonly notes: readonly string[];
}

export type ExtractionAnswer =
  /** A page that takes long is done: the time limit starts again. */
  | { readonly type: 'alive' }
  | { readonly type: 'opened'; readonly opened: Opened }
  | { readonly type: 'pages'; readonly pages: readonly ReadPage[] }
  | { readonly type: 'image'; readonly png: Uint8Array }
  | { readonly type: 'failed'; readonly code: string; readonly params: ErrorParams };

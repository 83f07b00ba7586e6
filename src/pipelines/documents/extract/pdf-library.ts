// The PDF library as it is called for every page: its options, and its errors in the words of the catalogue.
import { LiteParse, type LiteParseConfig } from '@llamaindex/liteparse';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';

export const base: Partial<LiteParseConfig> = {
  quiet: true,
  ocrEnabled: false,
  extractBlocks: true,
  includeComplexity: true,
  continueOnPageError: true,
  // Stripping repeated lines was seen to take headings and sentences with them; we mark them ourselves.
  keepHeadersFooters: true,
  extractLinks: false,
  imageMode: 'off',
  renderFormFields: false,
  outputFormat: 'json',
  numWorkers: 1,
};

export async function renderPage(path: string, pageNo: number, dpi: number): Promise<Buffer> {
  const [image] = await new LiteParse({ quiet: true, ocrEnabled: false, dpi })
    .screenshot(path, [pageNo])
    .catch(damaged);
  if (image === undefined) throw new MillraceError('document_damaged', { reason: `page ${pageNo} cannot be drawn` });
  return image.imageBuffer;
}

export async function parse(path: string, config: Partial<LiteParseConfig>) {
  return new LiteParse(config).parse(path).catch(damaged);
}

function damaged(error: unknown): never {
  const reason = messageOf(error);
  if (/password|encrypt/i.test(reason)) throw new MillraceError('document_encrypted', {}, { cause: error });
  throw new MillraceError('document_damaged', { reason }, { cause: error });
}

export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (
    text
      .split('\n')[0]
      ?.replace(/^PDF error:\s*/, '')
      .slice(0, 200) ?? 'unknown'
  );
}

// What a documents pipeline needs in a test: a blob store in a folder and an embedder that costs nothing. Free of vitest, for programs.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { DocumentsDeps } from '../../src/pipelines/documents/deps.ts';
import { type Embedder, toUnitLength } from '../../src/pipelines/documents/embedding/embedder.ts';
import { embeddedFolder, readTokenizer, tessdataFolder } from '../../src/pipelines/documents/embedding/model-folder.ts';
import { openSearch } from '../../src/pipelines/documents/search/search-deps.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { compiledProgram } from './programs.ts';

const reader = 'src/pipelines/documents/extract/extraction-child.ts';

/** Vectors made from the hash of a text, and a count of the texts it was asked for. */
export function hashEmbedder(modelId = 'hash@1'): Embedder & { asked: number } {
  const tokenizer = readTokenizer(embeddedFolder);
  const embedder = {
    facts: { modelId, name: modelId.split('@')[0] ?? modelId, provider: 'embedded' as const, dims: 8, maxTokens: 256 },
    asked: 0,
    countTokens: (text: string) => tokenizer.count(text),
    async embed(texts: readonly string[]) {
      embedder.asked += texts.length;
      return texts.map((text) => {
        const bytes = createHash('sha256').update(text).digest();
        return toUnitLength(Float32Array.from(bytes.subarray(0, 8), (byte) => byte - 127.5));
      });
    },
    runtime: async () => 'test',
    close() {},
  };
  return embedder;
}

/** Texts with the same words are near each other: each word has its own few components. Fails on demand. */
export function wordEmbedder(): Embedder & { asked: number; fault: boolean } {
  const tokenizer = readTokenizer(embeddedFolder);
  const dims = 256;
  const embedder = {
    facts: { modelId: 'words@1', name: 'words', provider: 'embedded' as const, dims, maxTokens: 256 },
    asked: 0,
    fault: false,
    countTokens: (text: string) => tokenizer.count(text),
    unknownShare: (text: string) => tokenizer.unknownShare(text),
    async embed(texts: readonly string[]) {
      if (embedder.fault) throw new Error('the provider is down');
      embedder.asked += texts.length;
      return texts.map((text) => {
        const vector = new Float32Array(dims);
        for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
          const bytes = createHash('sha256').update(word.slice(0, 6)).digest();
          for (let at = 0; at < 4; at++) vector[bytes[at] ?? 0] = (vector[bytes[at] ?? 0] ?? 0) + 1;
        }
        return toUnitLength(vector);
      });
    },
    runtime: async () => 'test',
    close() {},
  };
  return embedder;
}

export function documentsDeps(
  folder: string,
  {
    limits,
    embedder = hashEmbedder(),
    otherEmbedders = [],
    search = openSearch(embedder, {}, otherEmbedders),
    ...over
  }: Partial<DocumentsDeps> = {},
): DocumentsDeps {
  // Programs are compiled themselves, and with them the reader beside them.
  const program = import.meta.url.endsWith('.js') ? {} : { program: compiledProgram(reader) };
  return {
    store: new DiskBlobStore({ root: path.join(folder, 'blobs') }),
    embedder,
    otherEmbedders,
    search,
    limits: { maxMemoryMb: 512, timeoutMs: 600_000, ...program, ...limits },
    ocr: 'auto',
    ocrLanguage: 'eng',
    tessdata: tessdataFolder,
    artifacts: path.join(folder, 'artifacts'),
    keepRaw: 'keep',
    failedTtlDays: 7,
    activation: 'monotonic',
    ...over,
  };
}

// Chunks and passages of all pages, in one transaction: which page a chunk begins on depends on every page before it.
import { setImmediate as breathe } from 'node:timers/promises';
import { uuidv7 } from '../../platform/ids.ts';
import { chunkPages } from './chunking/chunk-pages.ts';
import { embeddedText, passagesOf, textHash } from './chunking/passages.ts';
import type { DocumentsDeps } from './deps.ts';
import type { DocumentContext } from './document-context.ts';
import { embeddersOfTenant } from './embedding/tenant-embedders.ts';
import type { ReadPage } from './extract/page.ts';
import { languageOf } from './language.ts';
import { type ProcessState, timed } from './process-state.ts';
import { type ChunkRow, deleteChunks, insertChunks, insertPassages, type PassageRow } from './sql/chunks.ts';
import { selectPages } from './sql/pages.ts';

const PAGES_PER_READ = 50;
const CHUNKS_PER_INSERT = 200;
const SAMPLE_CHARS = 20_000;

interface Made {
  readonly chunks: number;
  readonly passages: number;
  readonly tokens: number;
  readonly sample: string;
}

export async function makeChunks(
  context: DocumentContext,
  deps: DocumentsDeps,
  from: ProcessState,
): Promise<ProcessState> {
  const { run, input, commit, progress } = context;
  const { main } = await embeddersOfTenant(context, deps);
  const countTokens = (text: string) => main.countTokens(text);
  const said = (done: number) => progress({ done, total: from.pages, unit: `${from.unit}s`, note: 'cutting' });
  const { value, timings } = await timed(from, 'chunk_ms', () =>
    commit(
      async (tx) => {
        await deleteChunks(tx, run.tenantId, from.versionId);
        const pages = async function* (): AsyncGenerator<ReadPage> {
          for (let after = 0; ; ) {
            const some = await selectPages(tx, run.tenantId, from.versionId, after, PAGES_PER_READ);
            yield* some;
            after = some.at(-1)?.pageNo ?? 0;
            if (some.length < PAGES_PER_READ) return;
            await breathe();
          }
        };
        const made = { chunks: 0, passages: 0, tokens: 0, sample: '' };
        let chunks: ChunkRow[] = [];
        let passages: PassageRow[] = [];
        const flush = async () => {
          await insertChunks(tx, run.tenantId, { versionId: from.versionId, docId: input.doc_id }, chunks);
          await insertPassages(tx, run.tenantId, from.versionId, passages);
          made.chunks += chunks.length;
          made.passages += passages.length;
          chunks = [];
          passages = [];
        };
        for await (const chunk of chunkPages(pages(), from.unit, countTokens)) {
          const row: ChunkRow = { chunkId: uuidv7(), ...chunk };
          chunks.push(row);
          for (const passage of passagesOf(chunk)) {
            const text = embeddedText(input.title, chunk.headingPath, chunk.text.slice(passage.start, passage.end));
            passages.push({ chunkId: row.chunkId, ...passage, tokens: countTokens(text), hash: textHash(text) });
          }
          made.tokens += chunk.tokens;
          said(chunk.pageTo);
          if (made.sample.length < SAMPLE_CHARS) made.sample += `${chunk.text}\n`;
          if (chunks.length >= CHUNKS_PER_INSERT) await flush();
        }
        await flush();
        return made as Made;
      },
      // The counts are not known before the work is done; the next part writes them.
    ),
  );
  const { language, config } = languageOf(value.sample);
  const { chunks, passages, tokens } = value;
  const state: ProcessState = {
    ...from,
    timings,
    step: 'vectors',
    nextChunk: 0,
    chunks,
    passages,
    tokens,
    language,
    config,
  };
  await commit(async () => undefined, { checkpoint: state });
  said(from.pages);
  return state;
}

// npm run bench -- documents: CPU per page and memory of the process that reads, passages embedded per CPU second, upload → searchable for
// ten pages, and a document ingested again with 5 % of its pages changed against the first time. Made pages hold about 400 words; real ones are
// those of Debian's documentation (documents-files.ts).
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { createTenant } from '../../src/access/operator.ts';
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import { kitRoles } from '../../src/pipelines/all.ts';
import { acceptDocument } from '../../src/pipelines/documents/accept-document.ts';
import { sniffDocument } from '../../src/pipelines/documents/document-file.ts';
import { documentsPipeline } from '../../src/pipelines/documents/documents.pipeline.ts';
import type { Embedder } from '../../src/pipelines/documents/embedding/embedder.ts';
import { embeddedFolder, readModelFolder } from '../../src/pipelines/documents/embedding/model-folder.ts';
import { OnnxEmbedder } from '../../src/pipelines/documents/embedding/onnx-embedder.ts';
import { OnnxModel } from '../../src/pipelines/documents/embedding/onnx-model.ts';
import { embeddedModel } from '../../src/pipelines/documents/embedding/open-embedder.ts';
import { ExtractionProcess } from '../../src/pipelines/documents/extract/extraction-process.ts';
import { createPool } from '../../src/platform/database.ts';
import { silentLog } from '../../src/platform/log.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openDatabase } from '../../src/platform/open-database.ts';
import { documentsDeps } from '../support/documents-deps.ts';
import { buildEngine } from '../support/engine.ts';
import { makeTempHome, removeTempHome } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { findRealFiles } from './documents-files.ts';
import { findNativeRuntime } from './native-runtime.ts';
import { type BenchOptions, type BenchResult, describeMachine, type Figure, rate, time } from './report.ts';

const PAGES = 200;
const QUICK_PAGES = 60;
const TICKS_PER_SECOND = 100;
const MAX_HTML = 40;
const vocabulary =
  `system record policy staff account access network device password office manager report review incident customer
  contract payment service request change approval backup archive retention audit register schedule meeting budget project`.split(
    /\s+/,
  );

export async function benchDocuments({ quick, say }: BenchOptions): Promise<BenchResult> {
  const pages = quick ? QUICK_PAGES : PAGES;
  const home = makeTempHome('bench-documents');
  mkdirSync(home, { recursive: true });
  try {
    const reading = await benchReading(home, pages, say);
    const embedding = await benchEmbedding(quick ? 30 : 120, say);
    say('embedded');
    const whole = await benchWhole(home, quick ? 20 : 40, quick ? 1 : 2);
    return {
      machine: { ...describeMachine(['@llamaindex/liteparse']), pages },
      figures: [...reading, ...embedding, ...whole],
    };
  } finally {
    await removeTempHome(home);
  }
}

async function benchReading(home: string, pages: number, say: (line: string) => void): Promise<Figure[]> {
  const made = path.join(home, 'made.pdf');
  writeFileSync(made, await buildPages(pages));
  const { pdf, html } = findRealFiles(say);
  const own = await readWhole(made, 'pdf');
  const real: Reading[] = [];
  for (const file of pdf) {
    const reading = await readWhole(file, 'pdf');
    real.push(reading);
    say(`${path.basename(file)}: ${reading.pages} pages, ${reading.cpuMs.toFixed(1)} ms each, ${reading.peakMb} MB`);
  }
  const sections: Reading[] = [];
  for (const file of html.slice(0, MAX_HTML)) sections.push(await readWhole(file, 'html'));
  const all = [own, ...real];
  const cpu = [own.cpuMs, ...real.map(({ cpuMs }) => cpuMs)];
  const figures = [
    time('page-cpu-ms', cpu, 'ms', {}),
    time('child-rss', [Math.max(...all.map(({ peakMb }) => peakMb))], 'MB', {}),
  ];
  if (sections.length === 0) return figures;
  return [...figures, time('section-cpu-ms', [sum(sections, 'spentMs') / sum(sections, 'pages')], 'ms', {})];
}

interface Reading {
  readonly pages: number;
  readonly spentMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

async function readWhole(file: string, format: 'pdf' | 'html'): Promise<Reading> {
  const reader = new ExtractionProcess({ maxMemoryMb: 2_048, timeoutMs: 120_000 });
  try {
    const options = { ocr: 'off', tessdata: '', language: 'eng', asked: {} } as const;
    // Starting the process is counted with the document, not with its pages.
    await waitFor(async () => (await cpuSeconds(reader.pid)) >= 0);
    const { pages } = await reader.open({ path: file, format, ...options });
    const before = format === 'pdf' ? await cpuSeconds(reader.pid) : 0;
    for (let from = 1; from <= pages; from += 20) await reader.pages(from, Math.min(pages, from + 19));
    const spentMs = ((await cpuSeconds(reader.pid)) - before) * 1_000;
    return { pages, spentMs, cpuMs: spentMs / pages, peakMb: Math.round(reader.peakMb) };
  } finally {
    reader.stop();
  }
}

function sum(readings: readonly Reading[], key: keyof Reading): number {
  return readings.reduce((total, reading) => total + reading[key], 0);
}

async function benchEmbedding(passages: number, say: (line: string) => void): Promise<Figure[]> {
  const texts = Array.from({ length: passages }, (_, at) => `Manual > Part ${at}\n${words(at, 120)}`);
  const figures: Figure[] = [];
  const made: Float32Array[] = [];
  const native = findNativeRuntime(say);
  for (const runtime of native === undefined ? (['wasm'] as const) : (['wasm', 'native'] as const)) {
    const model = await OnnxModel.load(readModelFolder(embeddedFolder), runtime, native);
    if (model.runtime !== runtime) throw new Error(`wanted ${runtime}, got ${model.runtime}`);
    made.push(await model.embed(texts[0] ?? ''));
    const before = process.cpuUsage();
    for (const text of texts) await model.embed(text);
    const { user, system } = process.cpuUsage(before);
    figures.push(rate(`embed-${runtime}`, [passages / ((user + system) / 1e6)], 'passages per CPU second', {}));
  }
  const [wasm, other = wasm] = made;
  const likeness = wasm?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
  // One ledger serves both: a vector made by either must stand for the other.
  if (likeness < 0.99) throw new Error(`vectors of the two runtimes differ: cosine ${likeness.toFixed(4)}`);
  return figures;
}

async function benchWhole(home: string, pages: number, rounds: number): Promise<Figure[]> {
  const server = await openDatabase({ home }, silentLog);
  const embedder = new OnnxEmbedder(embeddedModel, embeddedFolder);
  try {
    await migrate({ url: server.adminUrl, appLogin: server.appLogin, log: silentLog, roles: kitRoles });
    const app = createPool({ url: server.appUrl, max: 2, applicationName: 'bench', connectTimeoutMs: 10_000 });
    const { tenant_id: tenantId } = await createTenant(app, { name: 'Bench' });
    await app.end();
    await embedder.embed(['warm']);
    const ingest = await openIngest(server.appUrl, path.join(home, 'documents'), tenantId, embedder);
    const ten: number[] = [];
    const again: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      ten.push(await ingest.run(`ten-${round}.pdf`, await buildPages(10, round * 1_000)));
      const seed = round * 100_000;
      const first = await ingest.run(`large-${round}.pdf`, await buildPages(pages, seed));
      const changed = await buildPages(pages, seed, Math.ceil(pages / 20));
      again.push((await ingest.run(`large-${round}.pdf`, changed)) / first);
    }
    await ingest.close();
    return [time('upload-to-searchable', ten, 's', {}), time('reingest-ratio', again, '×', {})];
  } finally {
    embedder.close();
    await server.stop();
  }
}

async function openIngest(url: string, folder: string, tenantId: string, embedder: Embedder) {
  const deps = documentsDeps(folder, { embedder });
  const engine = await buildEngine(url, [documentsPipeline(deps)]);
  await engine.start();
  return {
    async run(name: string, bytes: Uint8Array): Promise<number> {
      const startedAt = performance.now();
      const file = await storeFile(deps.store, {
        tenantId,
        fileName: name,
        body: (async function* () {
          yield bytes;
        })(),
        maxBytes: 1024 ** 3,
        sniff: sniffDocument,
      });
      await recordBlob(engine.pools.control, file);
      const request = {
        tenantId,
        file,
        sourceUri: `s3://bench/${name}`,
        channel: 's3',
        by: { name: 'bench', isAdmin: true },
      };
      const { runId } = await acceptDocument({ engine, log: silentLog }, request);
      const run = await waitFor(
        async () => {
          const found = await engine.run(tenantId, runId);
          return found.finished_at === null ? undefined : found;
        },
        { timeoutMs: 600_000 },
      );
      if (run.status !== 'succeeded') throw new Error(`${name}: ${run.error_text}`);
      return (performance.now() - startedAt) / 1_000;
    },
    close: () => engine.close(),
  };
}

/** `changed`: this many of the pages have other text. */
async function buildPages(pages: number, seed = 0, changed = 0): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  pdf.setCreationDate(new Date(changed * 1_000));
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (let at = 0; at < pages; at++) {
    const page = pdf.addPage([595, 842]);
    page.drawText(`Part ${at + 1}`, { x: 50, y: 790, size: 20, font });
    const text = words(seed + at + (at < changed ? 1_000_000 : 0), 400).split(' ');
    for (let line = 0; line * 9 < text.length; line++)
      page.drawText(text.slice(line * 9, line * 9 + 9).join(' '), { x: 50, y: 760 - line * 15, size: 10, font });
  }
  return pdf.save();
}

/** The same words for the same seed. */
function words(seed: number, count: number): string {
  let state = (seed + 1) * 2_654_435_761;
  return Array.from({ length: count }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = vocabulary[state % vocabulary.length] ?? 'word';
    return at % 12 === 11 ? `${word}.` : word;
  }).join(' ');
}

async function cpuSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

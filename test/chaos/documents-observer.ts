// Who uploads, deactivates and uploads again while everything breaks: a list of what the product has acknowledged, in its order.
import { createTenant } from '../../src/access/operator.ts';
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { acceptDocument } from '../../src/pipelines/documents/accept-document.ts';
import { sniffDocument } from '../../src/pipelines/documents/document-file.ts';
import { deactivateDocument, insertTombstone, observe } from '../../src/pipelines/documents/sql/change-documents.ts';
import { lockDocument } from '../../src/pipelines/documents/sql/versions.ts';
import { createPool, withTenant } from '../../src/platform/database.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { silentLog } from '../../src/platform/log.ts';
import { buildPdf } from '../support/document-files.ts';
import { documentsDeps } from '../support/documents-deps.ts';
import type { Random } from './random.ts';

/** What was asked of a document and answered. */
export interface Acknowledged {
  readonly docId: string;
  /** Of an upload that made a run. */
  readonly runId?: string;
  /** What is to be served after it: these bytes, or nothing. */
  readonly served: string | null;
}

interface Source {
  readonly tenantId: string;
  readonly uri: string;
  /** Of a PDF its text is drawn on pages. */
  readonly isPdf: boolean;
  docId?: string;
  text: string;
  /** What it held before. */
  before: string;
}

/** More pages than the reader looks at before it chooses how many to parse at once. */
const LONG = 24;
const TENANTS = 2;
const SOURCES = 3;
const by = { name: 'chaos', isAdmin: true };

export async function openObserver(engine: Engine, url: string, folder: string, random: Random) {
  const deps = documentsDeps(folder);
  const pool = createPool({ url, max: 2, applicationName: 'chaos', connectTimeoutMs: 5_000 });
  const sources: Source[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const { tenant_id: tenantId } = await createTenant(pool, { name: `Tenant ${tenant}` });
    for (let at = 0; at < SOURCES; at += 1)
      sources.push({ tenantId, uri: `s3://chaos/${at}`, isPdf: at === 0, text: '', before: '' });
  }
  let editions = 0;

  const upload = async (source: Source): Promise<Acknowledged> => {
    const { tenantId, uri: sourceUri, text, isPdf } = source;
    const bytes = isPdf ? await draw(text) : Buffer.from(text);
    const file = await storeFile(deps.store, {
      tenantId,
      fileName: isPdf ? 'notes.pdf' : 'notes.md',
      body: (async function* () {
        yield bytes;
      })(),
      maxBytes: 1024 ** 2,
      sniff: sniffDocument,
    });
    await recordBlob(engine.pools.control, file);
    const request = { tenantId, file, sourceUri, channel: 's3', by };
    const { runId, docId, created } = await acceptDocument({ engine, log: silentLog }, request);
    source.docId = docId;
    return { docId, served: `sha256:${file.sha256.toString('hex')}`, ...(created ? { runId } : {}) };
  };

  const deactivate = async ({ tenantId, uri, docId = '' }: Source): Promise<Acknowledged> => {
    await withTenant(pool, { tenantId, role: 'documents_api' }, async (tx) => {
      await lockDocument(tx, docId);
      await deactivateDocument(tx, tenantId, docId);
      await insertTombstone(tx, {
        ...{ tombstoneId: uuidv7(), tenantId, docId, sourceUri: uri, kind: 'deactivated' },
        ...{ sourceSeq: await observe(tx, tenantId, docId), by: by.name, reason: null },
      });
    });
    return { docId, served: null };
  };

  /** Mostly other text, now and then the same or that of before. */
  const change = (source: Source): void => {
    const { text, before } = source;
    const dice = random.next();
    if (text !== '' && dice < 0.1) return;
    source.before = text;
    if (before !== '' && dice < 0.25) source.text = before;
    else {
      editions += 1;
      source.text = edition(editions, random, source.isPdf && random.chance(0.2) ? LONG : undefined);
    }
  };

  return {
    /** Asks until it is answered: an answer that was lost is asked for again, as a client would. */
    async act(): Promise<Acknowledged | undefined> {
      const source = random.pick(sources);
      const isEnd = source.docId !== undefined && random.chance(0.12);
      if (!isEnd) change(source);
      for (let tries = 0; tries < 600; tries += 1) {
        try {
          return await (isEnd ? deactivate(source) : upload(source));
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
      return undefined;
    },
    close: () => pool.end(),
  };
}

/** Several sections, with sentences that come again from edition to edition: vectors are reused and made. */
function edition(number: number, random: Random, parts = random.between(2, 5)): string {
  const sections = Array.from({ length: parts }, (_, at) => {
    const lines = Array.from(
      { length: random.between(8, 24) },
      (_, line) =>
        `Rule ${line} of part ${at} in edition ${random.chance(0.5) ? 1 : number} says that record ${random.between(0, 50)} is kept for years.`,
    );
    return `# Part ${at}\n\n${lines.join('\n\n')}`;
  });
  return `${sections.join('\n\n')}\n\nEdition ${number}.\n`;
}

/** A page for each part, under its heading. */
function draw(text: string): Promise<Uint8Array> {
  const parts = text.split(/^# /m).filter((part) => part !== '');
  return buildPdf(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n').filter((line) => line !== '');
      return { heading, lines };
    }),
  );
}

// The extracted artifact of a version, for debugging and reprocessing: <artifacts>/<tenant>/<document>/<version>.json. Nothing reads it to
// serve. It is written under a passing name before the version is activated and named after the commit, so that a name never stands for a
// version that does not exist; whoever goes on after a crash names it again.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DocumentContext } from './document-context.ts';
import type { ProcessState } from './process-state.ts';
import { selectPages } from './sql/pages.ts';

export interface ArtifactPlace {
  readonly folder: string;
  readonly tenantId: string;
  readonly docId: string;
  readonly versionId: string;
}

const PAGES_PER_READ = 50;

export function artifactUri(place: ArtifactPlace): string {
  return pathToFileURL(fileOf(place)).href;
}

export async function writeArtifact(
  { run, input, commit }: DocumentContext,
  place: ArtifactPlace,
  state: ProcessState,
): Promise<void> {
  const file = fileOf(place);
  await mkdir(path.dirname(file), { recursive: true });
  const out = createWriteStream(`${file}.part`, { mode: 0o640 });
  const failed = once(out, 'error').then(([error]) => Promise.reject(error));
  failed.catch(() => undefined);
  const write = async (text: string) => {
    if (!out.write(text)) await Promise.race([once(out, 'drain'), failed]);
  };
  const { doc_id, title, source_type, source_uri, content_hash } = input;
  const facts = {
    doc_id,
    doc_version_id: place.versionId,
    run_id: run.id,
    title,
    source_type,
    source_uri,
    content_hash,
  };
  await write(
    `${JSON.stringify({ ...facts, unit: state.unit, notes: state.notes, chunks: state.chunks }).slice(0, -1)},"pages":[`,
  );
  for (let after = 0; ; ) {
    const pages = await commit((tx) => selectPages(tx, place.tenantId, place.versionId, after, PAGES_PER_READ));
    for (const page of pages) await write(`${page.pageNo === 1 ? '' : ','}\n${JSON.stringify(page)}`);
    after = pages.at(-1)?.pageNo ?? 0;
    if (pages.length < PAGES_PER_READ) break;
  }
  await write('\n]}\n');
  out.end();
  await Promise.race([once(out, 'close'), failed]);
}

/** Gives the artifact its name, or takes it away when its version was not needed. Doing it twice changes nothing. */
export async function publishArtifact(place: ArtifactPlace, isWanted: boolean): Promise<void> {
  const file = fileOf(place);
  if (!isWanted) await rm(`${file}.part`, { force: true });
  else
    await rename(`${file}.part`, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
}

export async function removeArtifacts(folder: string, tenantId: string, docId: string): Promise<void> {
  await rm(path.join(folder, tenantId, docId), { recursive: true, force: true });
}

function fileOf({ folder, tenantId, docId, versionId }: ArtifactPlace): string {
  return path.join(folder, tenantId, docId, `${versionId}.json`);
}

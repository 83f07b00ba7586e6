// The extracted artifact of a version, for debugging and reprocessing: <artifacts>/<tenant>/<document>/<version>.json. Nothing reads it to
// serve. It is written into `.incoming` before the version is activated and moved to its name after the commit, so that a name never stands for a
// version that does not exist. Whoever goes on after a crash moves it again, or writes it again where the sweep has taken it.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
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
const INCOMING = '.incoming';

export function artifactUri(place: ArtifactPlace): string {
  return pathToFileURL(fileOf(place)).href;
}

export async function writeArtifact(
  { run, input, commit }: DocumentContext,
  place: ArtifactPlace,
  state: ProcessState,
): Promise<void> {
  const part = partOf(place);
  await mkdir(path.dirname(part), { recursive: true });
  const out = createWriteStream(part, { mode: 0o640 });
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
export async function publishArtifact(
  context: DocumentContext,
  place: ArtifactPlace,
  state: ProcessState,
): Promise<void> {
  if (state.end === 'unchanged') return rm(partOf(place), { force: true });
  if ((await move(place)) || (await exists(fileOf(place)))) return;
  await writeArtifact(context, place, state);
  await move(place);
}

/** Takes away what runs left in `.incoming` that were killed there and never went on; how many. */
export async function sweepArtifacts(folder: string, olderThanMs: number): Promise<number> {
  const incoming = path.join(folder, INCOMING);
  const before = Date.now() - olderThanMs;
  let removed = 0;
  for (const name of await readdir(incoming).catch(noneThere)) {
    const file = path.join(incoming, name);
    const found = await stat(file).catch(() => undefined);
    if (found === undefined || found.mtimeMs >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

export async function removeArtifacts(folder: string, tenantId: string, docId: string): Promise<void> {
  await rm(path.join(folder, tenantId, docId), { recursive: true, force: true });
  const incoming = path.join(folder, INCOMING);
  for (const name of await readdir(incoming).catch(noneThere))
    if (name.startsWith(`${docId}.`)) await rm(path.join(incoming, name), { force: true });
}

function fileOf({ folder, tenantId, docId, versionId }: ArtifactPlace): string {
  return path.join(folder, tenantId, docId, `${versionId}.json`);
}

function partOf({ folder, docId, versionId }: ArtifactPlace): string {
  return path.join(folder, INCOMING, `${docId}.${versionId}.json.part`);
}

/** False: it is not there. */
async function move(place: ArtifactPlace): Promise<boolean> {
  const file = fileOf(place);
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await rename(partOf(place), file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function noneThere(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

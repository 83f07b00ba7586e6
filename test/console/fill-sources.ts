// Sources for the walk over every page: one that asks because much vanished at once, and one whose folder is gone.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prose } from '../support/document-files.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Ask } from './installation.ts';

interface Shown {
  readonly freshness: string;
  readonly syncs: readonly { readonly sync_id: string }[];
}

/** `root`: a folder that sources of the installation may read. Gives the addresses of its pages. */
export async function fillSources(ask: Ask, root: string): Promise<Record<string, string>> {
  const inbox = path.join(root, 'Contracts, signed');
  const away = path.join(root, 'away');
  for (const folder of [inbox, away]) mkdirSync(folder);
  const anHourAgo = Date.now() / 1_000 - 3_600;
  const write = (folder: string, name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    utimesSync(path.join(folder, name), anHourAgo, anHourAgo);
  };
  for (const n of [1, 2, 3]) write(inbox, `policy-${n}.txt`, prose(900 + n, 6).join('\n\n'));
  write(inbox, 'setup.exe', 'MZ');
  write(away, 'one.txt', prose(990, 6).join('\n\n'));
  const contracts = await connect(ask, 'Contracts', inbox);
  const gone = await connect(ask, 'A share that is not mounted', away);
  const first = await sync(ask, contracts, 'fresh');
  for (const n of [1, 2]) rmSync(path.join(inbox, `policy-${n}.txt`));
  rmSync(away, { recursive: true });
  await sync(ask, contracts, 'waiting for an answer');
  await sync(ask, gone, 'failing');
  const page = `/operate/sources/${contracts}`;
  return {
    sources: '/operate/sources',
    'source-new': '/operate/sources/new',
    source: page,
    'source-refused': `${page}?fate=refused`,
    'source-sync': `${page}?sync=${first}`,
    'source-change': `${page}/change`,
    'source-failing': `/operate/sources/${gone}`,
    'source-unknown': '/operate/sources/0190a7a0-0000-7000-8000-000000000001',
    'run-of-source': `/r/${first}`,
  };
}

async function connect(ask: Ask, name: string, directory: string): Promise<string> {
  const wish = { name, pipeline: 'documents', place: { kind: 'folder', directory } };
  return (await ask<{ source_id: string }>('/v1/sources', wish)).source_id;
}

async function sync(ask: Ask, sourceId: string, end: string): Promise<string> {
  const { run_id: run } = await ask<{ run_id: string }>(`/v1/sources/${sourceId}/sync`, {});
  await waitFor(async () => (await ask<Shown>(`/v1/sources/${sourceId}`)).freshness === end, {
    what: `the source to be ${end}`,
  });
  return run;
}

// The watched folders of an installation: WATCHED_FOLDERS says which folder feeds which pipeline of which tenant. A file in such a folder
// goes through the same intake as an upload.
import { chooseTenant } from '../cli/choose-tenant.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Delivered, Delivery } from '../sources/collect.ts';
import { createCollector } from '../sources/collector.ts';
import { FolderSource } from '../sources/folder/folder-source.ts';
import { acceptFile, type Intake, type IntakeDeps } from '../sources/intake.ts';
import type { Installation } from './installation.ts';
import type { RoleProcess } from './role-process.ts';

export interface WatchedFolder {
  readonly folder: string;
  readonly pipeline: string;
  /** What the pipeline is told of every file there: the platform of ads, the vendor of judgments. */
  readonly word: string | undefined;
  /** What happens to a file that is in doubt; left out, its run asks and an alert is raised. */
  readonly onDoubt: string | undefined;
  /** Name or id. Left out: the installation's only tenant. */
  readonly tenant: string | undefined;
}

const entryForm =
  /^(?<folder>[^=]+)=(?<pipeline>[a-z][a-z0-9_-]*)(?::(?<word>[^@?]+))?(?:\?(?<onDoubt>ask|proceed|fail))?(?:@(?<tenant>.+))?$/;
const POLL_MS = 2_000;

/** "FOLDER=PIPELINE[:WORD][?ask|?proceed|?fail][@TENANT]", several separated by commas. */
export function parseWatchedFolders(
  text: string | undefined,
  intakes: Readonly<Record<string, Pick<Intake, 'folderFields'>>>,
): WatchedFolder[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map((entry) => parseEntry(entry, intakes));
}

function parseEntry(entry: string, intakes: Parameters<typeof parseWatchedFolders>[1]): WatchedFolder {
  const found = entryForm.exec(entry)?.groups;
  if (!found) throw invalid(entry, 'it does not have the form FOLDER=PIPELINE[:WORD][?ask|?proceed|?fail][@TENANT]');
  const { folder = '', pipeline = '', word, onDoubt, tenant } = found;
  const intake = Object.hasOwn(intakes, pipeline) ? intakes[pipeline] : undefined;
  if (intake === undefined)
    throw invalid(entry, `no pipeline ${pipeline} takes files; there are ${Object.keys(intakes).join(', ')}`);
  try {
    intake.folderFields?.(word);
  } catch (error) {
    throw invalid(entry, (error as Error).message);
  }
  return { folder, pipeline, word, onDoubt, tenant };
}

export async function startWatchedFolders(process: RoleProcess, installation: Installation): Promise<void> {
  const { config, log, shutdown } = process;
  const { blobs: store, pools } = installation;
  const intakes = intakesOf(installation);
  for (const watched of parseWatchedFolders(config.watchedFolders, intakes)) {
    const tenantId = await tenantOf(installation, watched);
    const intake = intakes[watched.pipeline] as Intake;
    // The name is part of every unique key, so it must not change while the folder does not.
    const source = new FolderSource({ name: `folder:${watched.folder}`, folder: watched.folder });
    await source.check();
    const collector = createCollector({
      source,
      tenantId,
      store,
      maxBytes: config.uploadMaxSizeMb * 1024 ** 2,
      sniff: intake.sniff,
      deliver: (delivery) =>
        deliverTo({ store, pool: pools.effects, control: pools.control }, intake, watched, delivery),
      pollMs: POLL_MS,
      log,
    });
    collector.start();
    shutdown.add(`watched folder ${watched.folder}`, () => collector.stop());
  }
}

/** What the collector of a folder does with a stored file: the same as is done with an upload. */
export async function deliverTo(
  deps: IntakeDeps,
  intake: Intake,
  { word, onDoubt }: Pick<WatchedFolder, 'word'> & Partial<Pick<WatchedFolder, 'onDoubt'>>,
  { tenantId, file, modifiedAt, uniqueKey, sourceName }: Delivery,
): Promise<Delivered> {
  const given = intake.folderFields?.(word) ?? {};
  const fields = { ...(given as object), ...(onDoubt === undefined ? {} : { on_doubt: onDoubt }) };
  const { answer } = await acceptFile(deps, intake, {
    tenantId,
    fields,
    file,
    at: modifiedAt,
    uniqueKey,
    sourceId: sourceName,
  });
  return { runId: answer.runId, created: answer.created };
}

function intakesOf({ kits }: Installation): Record<string, Intake> {
  const named = kits.flatMap(({ kit, parts }) => (parts.intake ? [[kit.name, parts.intake] as const] : []));
  return Object.fromEntries(named);
}

/** As commands do: by name or id, or the only one there is. */
async function tenantOf({ pools }: Installation, { folder, tenant }: WatchedFolder): Promise<string> {
  try {
    return (await chooseTenant(pools.control, tenant)).tenant_id;
  } catch (error) {
    if (error instanceof MillraceError && error.kind === 'input')
      throw invalid(folder, error.message.replace(/\.$/, ''));
    throw error;
  }
}

function invalid(entry: string, reason: string): MillraceError {
  return new MillraceError('watched_folder_invalid', { entry, reason });
}

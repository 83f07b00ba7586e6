// From the row of a source to the place it stands for, with its credential opened.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { SourceCredential, SourcePlace } from '../../contract/pipelines/sources/api.ts';
import { guardedLookup, requireCallable } from '../../outbound/guarded-lookup.ts';
import { FolderPlace } from '../../sources/folder/folder-place.ts';
import { FtpPlace } from '../../sources/ftp/ftp-place.ts';
import type { Place, PlaceGuard } from '../../sources/place.ts';
import { SftpPlace } from '../../sources/sftp/sftp-place.ts';
import type { SourcesDeps } from './sources-deps.ts';

type PlaceFacts = z.output<typeof SourcePlace>;
export type Credential = z.output<typeof SourceCredential>;

export interface PlaceOfSource {
  /** Part of a folder's uris; the credential is sealed for it. */
  readonly sourceId: string;
  readonly place: unknown;
  /** Taken objects are moved: what lies where they go is not listed. */
  readonly moves: boolean;
}

/** Where taken objects go unless the source says otherwise. */
const AWAY = 'taken';

export function guardOf({ settings }: Pick<SourcesDeps, 'settings'>): PlaceGuard {
  const { allowPrivateSources } = settings;
  return {
    lookup: guardedLookup(allowPrivateSources) as PlaceGuard['lookup'],
    requireCallable: (host) => requireCallable(host, allowPrivateSources),
  };
}

export async function openPlace(
  deps: SourcesDeps,
  { sourceId, place, moves }: PlaceOfSource,
  credential: Credential | null,
): Promise<Place> {
  const facts = SourcePlace.parse(place);
  const moveTo = moves ? (facts.move_to ?? AWAY) : undefined;
  const guard = guardOf(deps);
  switch (facts.kind) {
    case 's3': {
      // Its SDK is loaded when a source needs it: every process would start a tenth of a second later.
      const { S3Place } = await import('../../sources/s3/s3-place.ts');
      return new S3Place(
        {
          bucket: facts.bucket,
          region: facts.region,
          endpoint: facts.endpoint,
          pathStyle: facts.path_style,
          roleArn: facts.role_arn,
          externalId: facts.external_id,
          moveTo,
          credentials: keysOfCredential(credential),
        },
        guard,
      );
    }
    case 'sftp':
      return new SftpPlace({ ...facts, hostKey: facts.host_key, moveTo, credential: signInOf(credential) }, guard);
    case 'ftp':
      return new FtpPlace({ ...facts, moveTo, credential: passwordOf(credential) }, guard);
    case 'folder':
      return new FolderPlace({
        directory: allowedFolder(deps, facts.directory),
        name: sourceId,
        moveTo,
      });
  }
}

export function openCredential({ secrets }: SourcesDeps, sourceId: string, sealed: Buffer | null): Credential | null {
  if (sealed === null) return null;
  const text = secrets.open(sourceId, sealed);
  if (text === undefined) throw new MillraceError('source_secret_unreadable');
  return SourceCredential.parse(JSON.parse(text));
}

/** Taken objects stay inside the place, and a source does not list where it moves them. */
export function faultOfMove({ move_to: moveTo = AWAY }: PlaceFacts, prefix: string): string | undefined {
  const parts = moveTo.split('/');
  if (parts.includes('..') || parts.includes('.') || moveTo.startsWith('/'))
    return 'move_to: a directory inside the place, without ".."';
  return prefix.startsWith(`${moveTo.replace(/\/*$/, '')}/`)
    ? 'move_to: the prefix of the source lies below it'
    : undefined;
}

/** What fits a kind, or a sentence that says what does. */
export function faultOfCredential(
  { settings }: Pick<SourcesDeps, 'settings'>,
  kind: PlaceFacts['kind'],
  credential: Credential | null,
): string | undefined {
  if (credential === null && kind === 's3' && !settings.allowServerIdentity)
    return 'credential: S3 needs keys; sources may not use the identity of the server (SOURCE_SERVER_IDENTITY)';
  if (credential === null)
    return kind === 'sftp' ? 'credential: an SFTP server needs a user and a password or key' : undefined;
  if (kind === 's3')
    return 'access_key_id' in credential ? undefined : 'credential: S3 needs access_key_id and secret_access_key';
  if (kind === 'ftp') return 'password' in credential ? undefined : 'credential: FTP needs username and password';
  if (kind === 'sftp')
    return 'username' in credential ? undefined : 'credential: SFTP needs username and password or private_key';
  return 'credential: a folder needs none';
}

export function kindOfCredential(credential: Credential | null): 'none' | 'keys' | 'password' | 'private_key' {
  if (credential === null) return 'none';
  if ('access_key_id' in credential) return 'keys';
  return 'password' in credential ? 'password' : 'private_key';
}

/** By its real path, so that a link out of a root is found out. */
function allowedFolder({ settings }: SourcesDeps, directory: string): string {
  const roots = (settings.sourceFolderRoots ?? '').split(',').map((root) => root.trim());
  const real = realOf(directory);
  const isAllowed = roots
    .filter((root) => root !== '')
    .map(realOf)
    .some((root) => real === root || real.startsWith(root.endsWith(path.sep) ? root : root + path.sep));
  if (!isAllowed || !path.isAbsolute(directory))
    throw new MillraceError('source_folder_refused', { folder: directory });
  return real;
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

export function keysOfCredential(credential: Credential | null) {
  if (credential === null || !('access_key_id' in credential)) return undefined;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = credential;
  return { accessKeyId, secretAccessKey, sessionToken };
}

function passwordOf(credential: Credential | null) {
  if (credential === null || !('password' in credential)) return undefined;
  return { username: credential.username, password: credential.password };
}

function signInOf(credential: Credential | null) {
  if (credential === null || !('username' in credential)) return undefined;
  if ('password' in credential) return { username: credential.username, password: credential.password };
  const { username, private_key: privateKey, passphrase } = credential;
  return { username, privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

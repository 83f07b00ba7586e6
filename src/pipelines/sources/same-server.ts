// What a change of place keeps of the former one. The pinned host key stays with its server: leaving it out pins no other. A server that is
// another is trusted only by its key, and is not told the password that was given for the former one.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Wish } from './set-up.ts';
import type { SourceRow } from './sql/sources.ts';

type Place = Wish['place'];

/** The place with the key that is pinned for its server, as a test of the connection needs it: without one, any key is shown. */
export function withPinnedKey(before: SourceRow, place: Place): Place {
  if (place.kind !== 'sftp' || place.host_key !== undefined || !isSameServer(before, place)) return place;
  const pinned = before.place.host_key;
  return typeof pinned === 'string' ? { ...place, host_key: pinned } : place;
}

/** As a change needs it: somebody has seen and accepted the key of another server. */
export function requirePinnedKey(before: SourceRow, given: Place): Place {
  const place = withPinnedKey(before, given);
  if (place.kind === 'sftp' && place.host_key === undefined)
    throw new MillraceError('source_host_key_unconfirmed', { server: serverOf(place) });
  return place;
}

/** Otherwise everybody who may change a source could have its password sent to a server of their own. */
export function requireOwnPassword(before: SourceRow, place: Place, isGiven: boolean): void {
  if (isGiven || before.credential_kind !== 'password' || isSameServer(before, place)) return;
  throw new MillraceError('source_settings_invalid', {
    faults: `credential: the stored password was given for ${serverOf(before.place)}; give the one for ${serverOf(place)}`,
  });
}

function isSameServer(before: SourceRow, place: Place): boolean {
  return serverOf(before.place) === serverOf(place);
}

function serverOf(place: object): string {
  const { host = '', port = '' } = place as { readonly host?: unknown; readonly port?: unknown };
  return `${String(host).toLowerCase()}:${String(port)}`;
}

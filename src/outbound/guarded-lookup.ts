// Resolves host names for the sockets of libraries (S3, SFTP, FTP). It judges every address before the connection, and the connection uses one
// of those addresses. One refused address refuses the name.
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { classifyAddress } from './address-class.ts';

export function guardedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const isRefused = found.length === 0 || found.some(({ address }) => !isCallable(address, allowPrivate));
      if (isRefused) return callback(refusal(hostname), '', 0);
      if ((options as { all?: boolean }).all === true) return callback(null, found as never, 0);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

/** For hosts that are addresses already, which no socket looks up. */
export function requireCallable(host: string, allowPrivate: boolean): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && !isCallable(bare, allowPrivate)) throw refusal(bare);
}

function isCallable(address: string, allowPrivate: boolean): boolean {
  const found = classifyAddress(address);
  return found === 'public' || (found === 'private' && allowPrivate);
}

function refusal(host: string): MillraceError {
  return new MillraceError('outbound_address_refused', { host });
}

// What a supervisor says first. It names the data folder, so that a home that was copied, control port and token included,
// is never served by the original's server.
import { createHash } from 'node:crypto';

export function bannerOf(dataFolder: string): string {
  return `millrace-postgres-1 ${createHash('sha256').update(dataFolder).digest('hex').slice(0, 16)}`;
}

// A listing of an FTP server has a line per entry, so it cannot say a name with a line break: its second half would pass for an entry of its own, or
// make the whole listing look like one of another format, as if everything else had vanished.
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const entry = /^(?:[bcdelfmpSs-][-rwxlLsStT]{8}|\d\d-\d\d-\d\d|[^;=\s]+=[^;]*;)/;

/** Such a name becomes one that nothing can be asked for (U+FFFD); where it cannot be told, nobody goes by the listing. */
export function wholeLines(listing: string): string {
  const whole = listing.includes('\r\n') ? listing.replaceAll(/(?<!\r)\n/g, '\uFFFD') : listing;
  const lines = whole.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('total'));
  const isMixed = lines.some((line) => entry.test(line)) && !lines.every((line) => entry.test(line));
  if (isMixed) throw new MillraceError('source_listing_unusable', { reason: 'one of its lines is not an entry' });
  return whole;
}

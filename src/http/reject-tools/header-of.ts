import type { Reading } from '../../tabular/reading.ts';
import type { FileHeader } from './reject-tools.ts';

/** What the download of refused rows, and what fixes them, need to know of how their file was read. */
export function headerOf({ header, numbers, unescapeFormulas }: Reading): FileHeader {
  return { names: header.value.names, isEscaped: unescapeFormulas, decimal: numbers.value.decimal };
}

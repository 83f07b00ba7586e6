import type { Reading } from '../../tabular/reading.ts';

/** What the download of refused rows needs to know of how their file was read. */
export function headerOf({ header, unescapeFormulas }: Reading): { names: readonly string[]; isEscaped: boolean } {
  return { names: header.value.names, isEscaped: unescapeFormulas };
}

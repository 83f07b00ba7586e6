// The logger every part writes to.
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For tools and tests that want silence. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

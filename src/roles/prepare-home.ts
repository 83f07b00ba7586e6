// Creates the data directory of this installation at the first start. Everything that Millrace keeps on disk lies under it.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { makeFolder } from '../platform/make-folder.ts';

export function prepareHome(folder: string): void {
  const home = path.resolve(folder);
  try {
    makeFolder(home);
    accessSync(home, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new MillraceError('home_unusable', { home, reason: code ?? message }, { cause: error });
  }
}

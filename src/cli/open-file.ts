// A file that is given on the command line, as a body to send. Node throws where a file is missing, and says neither which nor why.
import { constants, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export async function openFile(file: string): Promise<Blob> {
  try {
    await access(file, constants.R_OK);
    return await openAsBlob(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new MillraceError('input_file_missing', { file, reason: code ?? message }, { cause: error });
  }
}

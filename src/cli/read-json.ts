// The JSON that a command is given in a file, or on standard input ("-").
import { readFile } from 'node:fs/promises';
import { MillraceError } from '../contract/errors/millrace-error.ts';

export async function readJson(file: string): Promise<unknown> {
  const name = file === '-' ? 'on standard input' : file;
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MillraceError(
      'input_file_missing',
      { file: name, reason: error.code ?? error.message },
      { cause: error },
    );
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MillraceError('input_not_json', { file: name, reason: (error as Error).message }, { cause: error });
  }
}

// The version of this package, read from its package.json; src/roles and dist/roles lie at the same depth.
import { readFileSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;

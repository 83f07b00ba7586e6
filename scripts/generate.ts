// Writes the files that are generated from the code: docs/errors.md, docs/configuration.md, docs/states.md, db/schema.sql and
// src/contract/api/openapi.json.
// With --check it writes nothing and fails when one of them is not what it should be.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../src/http/openapi.ts';
import { connectClient } from '../src/platform/database.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { silentLog } from '../src/platform/log.ts';
import { migrate } from '../src/platform/migrate.ts';
import { makeTempHome, removeTempHome } from '../test/support/temp-home.ts';
import { configurationPage } from './pages/configuration-page.ts';
import { errorsPage } from './pages/errors-page.ts';
import { performancePage } from './pages/performance-page.ts';
import { statesPage } from './pages/states-page.ts';
import { comparable, dumpSchema } from './schema-dump.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/errors.md': errorsPage,
  'docs/configuration.md': configurationPage,
  'docs/states.md': statesPage,
  'docs/performance.md': () => performancePage(),
  'db/schema.sql': schemaOfMigrations,
  'src/contract/api/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
};

async function main(): Promise<void> {
  const check = process.argv.includes('--check');
  const stale: string[] = [];
  for (const [name, generate] of Object.entries(generated)) {
    const wanted = await generate();
    const file = path.join(root, name);
    const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (comparable(found) === comparable(wanted)) continue;
    stale.push(name);
    if (!check) writeFileSync(file, wanted);
  }
  for (const name of stale) console.log(check ? `${name} is not up to date: run "npm run generate"` : `wrote ${name}`);
  if (check && stale.length > 0) process.exitCode = 1;
}

async function schemaOfMigrations(): Promise<string> {
  const home = makeTempHome('generate');
  const server = await startEmbeddedPostgres({ home, log: silentLog, settings: { fsync: 'off' } });
  try {
    await migrate({ url: server.adminUrl });
    const client = await connectClient({
      url: server.adminUrl,
      applicationName: 'millrace-generate',
      connectTimeoutMs: 10_000,
    });
    const dump = await dumpSchema(client);
    await client.end();
    return dump;
  } finally {
    await server.stop();
    removeTempHome(home);
  }
}

await main();

// A process that uses the embedded database of one home: prints where it is, then waits. "stop" on its input gives it up.
import { createInterface } from 'node:readline';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { silentLog } from '../../src/platform/log.ts';

try {
  const server = await startEmbeddedPostgres({ home: process.argv[2] ?? '', log: silentLog });
  const { port, pid, adminUrl, appUrl } = server;
  process.stdout.write(`${JSON.stringify({ port, pid, adminUrl, appUrl })}\n`);
  createInterface({ input: process.stdin }).on('line', async (line) => {
    if (line !== 'stop') return;
    await server.stop();
    process.exit(0);
  });
} catch (error) {
  const { code, message } = error as { code?: string; message: string };
  process.stdout.write(`${JSON.stringify({ code, message })}\n`);
  process.exit(1);
}

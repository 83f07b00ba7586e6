// Objects that may still be growing: the sync that finds them looks again, takes those that stayed the same and leaves the others.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { startFtpServer } from '../../../test/support/ftp-server.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');

/** A server that tells no exact times: what it shows is never known to be old. */
async function untimed(name: string, { grows = false, settle = 1 } = {}) {
  const directory = path.join(bench.folder, name);
  mkdirSync(path.join(directory, 'below'), { recursive: true });
  writeFileSync(path.join(directory, 'calm.txt'), text(1));
  writeFileSync(path.join(directory, 'below', 'calm.txt'), text(2));
  const grow = () => appendFileSync(path.join(directory, 'grows.txt'), 'more\n');
  const server = await startFtpServer(directory, { withoutMlsd: true, ...(grows ? { onList: grow } : {}) });
  onTestFinished(() => server.close());
  const sourceId = await bench.connect({
    name,
    pipeline: 'documents',
    place: { kind: 'ftp', host: '127.0.0.1', port: server.port, tls: 'none' },
    credential: server.credential,
    settle_seconds: settle,
  });
  return { directory, sourceId };
}

async function statuses(sourceId: string): Promise<Record<string, string>> {
  const answer = await api.call('sources.objects', { as: bench.admin, params: { source_id: sourceId } });
  const rows: { key: string; status: string }[] = answer.json().data;
  return Object.fromEntries(rows.map(({ key, status }) => [key, status]));
}

describe('the first sync of a server without exact times', () => {
  it('takes every file that stayed the same for the time its source waits', async () => {
    const { sourceId } = await untimed('calm');
    const sync = await bench.sync(sourceId);
    expect(sync).toMatchObject({
      status: 'synced',
      receipt: { read: 2, outcomes: { new: 2, changed: 0, unchanged: 0, refused: 0 }, settling: 0, vanished: 0 },
    });
    expect(await statuses(sourceId)).toEqual({ 'calm.txt': 'live', 'below/calm.txt': 'live' });
    expect((await bench.sync(sourceId)).receipt).toMatchObject({ read: 2, outcomes: { unchanged: 2 }, settling: 0 });
  });

  it('leaves a file that grew meanwhile to the next sync and takes the others', async () => {
    const { sourceId } = await untimed('growing', { grows: true });
    const { receipt } = await bench.sync(sourceId);
    expect(receipt).toMatchObject({ read: 2, outcomes: { new: 2 }, settling: 1 });
    expect(await statuses(sourceId)).toEqual({ 'calm.txt': 'live', 'below/calm.txt': 'live', 'grows.txt': 'settling' });
  });

  it('gives its worker back while it waits, says what it waits for, and can be cancelled', async () => {
    const { sourceId } = await untimed('patient', { settle: 900 });
    const started = await api.call('sources.sync', { as: bench.admin, params: { source_id: sourceId } });
    const params = { run_id: started.json().run_id };
    const reason = await waitFor(
      async () => {
        const { rows } = await bench.db.admin.query<{ wait_reason: { kind: string; text: string } | null }>(
          `select wait_reason from engine.runs where id = $1 and phase = 'waiting' and attempt > 0`,
          [params.run_id],
        );
        return rows[0]?.wait_reason ?? undefined;
      },
      { what: 'the sync to wait' },
    );
    expect(reason).toMatchObject({
      kind: 'later',
      text: expect.stringContaining('2 objects that may still be growing'),
    });
    const again = await api.call('sources.sync', { as: bench.admin, params: { source_id: sourceId } });
    expect(again.json()).toEqual({ run_id: params.run_id, created: false });
    await api.call('runs.cancel', { as: bench.admin, params, body: {} });
    expect(await bench.ended(params.run_id)).toMatchObject({ status: 'failed', error_code: 'run_cancelled' });
  });
});

it('a source that waits longer than a sync may leaves what may be growing to the next sync', async () => {
  const { sourceId } = await untimed('slow', { settle: 901 });
  expect(await bench.sync(sourceId)).toMatchObject({ status: 'synced', receipt: { read: 0, settling: 2 } });
});

// The example does what it says, through the public library only.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMillrace, type Millrace } from '../src/index.ts';
import { useDatabase } from '../test/support/database.ts';
import { createGreetings, greetings } from './greetings.ts';

const database = useDatabase();
const tenantId = '00000000-0000-7000-8000-000000000001';
let millrace: Millrace;

beforeAll(async () => {
  millrace = await createMillrace({
    databaseUrl: database.appUrl,
    migrationUrl: database.adminUrl,
    pipelines: [greetings],
    prepare: createGreetings,
    settings: { pollMs: 50, leaseMs: 3_000, heartbeatMs: 1_000, drainMs: 1_000 },
  });
  await millrace.start();
});

afterAll(async () => {
  await millrace.stop();
});

describe('the greetings example', () => {
  it('greets everybody once, refuses who has no name, and its receipt can be verified', async () => {
    const { id } = await millrace.enqueue({ pipeline: 'greetings', tenantId, input: { names: ['Ada', '', 'Grace'] } });
    const run = await millrace.runs.wait(id, { timeoutMs: 120_000 });
    expect(run).toMatchObject({ status: 'greeted', receipt: { read: 3, outcomes: { inserted: 2, rejected: 1 } } });
    expect(await millrace.runs.verify(id)).toMatchObject({ agrees: true, differences: [] });
    const { rows } = await database.admin.query('select words from greetings where run_id = $1 order by words', [id]);
    expect(rows).toEqual([{ words: 'Hello Ada' }, { words: 'Hello Grace' }]);
  });

  it('says so when what is stored no longer agrees with the receipt', async () => {
    const { id } = await millrace.enqueue({ pipeline: 'greetings', tenantId, input: { names: ['Edsger'] } });
    await millrace.runs.wait(id, { timeoutMs: 120_000 });
    await database.admin.query('delete from greetings where run_id = $1', [id]);
    const verification = await millrace.runs.verify(id);
    expect(verification).toMatchObject({ agrees: false, differences: ['inserted: receipt 1, recount 0'] });
  });
});

// Whatever pipeline reads a table, its receipt accounts for every byte of the file, a recount agrees, and the database takes none that says nothing of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tamper } from '../../test/support/database.ts';
import { newTenant } from '../../test/support/engine.ts';
import { useItems } from '../../test/support/items.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../test/support/judgments.ts';

const items = useItems();
let judgments: JudgmentsBench;
beforeAll(async () => {
  judgments = await openJudgmentsBench(items.db.appUrl);
  await judgments.engine.start();
});
afterAll(() => judgments.close());

const titled = `\uFEFFJudgments of May\n\n${judgmentsFile('A-1,Ann,Dan,10,2024-01-01,Kings,,,', ',Ann,Dan,10,2024-01-01,Kings,,,')}`;

async function readBy(pipeline: 'judgments' | 'items') {
  const text = pipeline === 'items' ? '\uFEFFPrice list\n\nSKU;Title\nA-1;Kettle\nA-2;Pot\n' : titled;
  if (pipeline === 'judgments') {
    const tenantId = newTenant();
    const run = await judgments.ingest(tenantId, text);
    return { run, text, verify: () => judgments.engine.verify(tenantId, run.id) };
  }
  const jobId = await items.submit(text, { catalog: 'sample', on_doubt: 'proceed' });
  await items.ended(jobId);
  const run = await items.engine.run(items.admin.tenantId, jobId);
  return { run, text, verify: () => items.engine.verify(items.admin.tenantId, jobId) };
}

describe.each(['judgments', 'items'] as const)('a receipt of %s', (pipeline) => {
  it('accounts for every byte, is counted again with the same result, and is refused without it', async () => {
    const { run, text, verify } = await readBy(pipeline);
    const bytes = run.receipt?.content?.bytes ?? {};
    expect(bytes).toMatchObject({ all: Buffer.byteLength(text), structure: 3, blank: 1 });
    expect(Object.entries(bytes).reduce((sum, [name, many]) => sum + (name === 'all' ? 0 : many), 0)).toBe(bytes.all);
    expect((await verify()).differences).toEqual([]);
    const change = (sql: string) =>
      items.db.admin.query(`update engine.runs set receipt = ${sql} where id = $1`, [run.id]);
    await expect(change(`receipt - 'content'`)).rejects.toMatchObject({ code: '23514' });
    await expect(change(`jsonb_set(receipt, '{content,bytes,row}', '1')`)).rejects.toMatchObject({ code: '23514' });
    await tamper(
      items.db.admin,
      `update engine.runs set receipt = jsonb_set(jsonb_set(receipt, '{content,bytes,structure}', '2'), '{content,bytes,blank}', '2') where id = $1`,
      [run.id],
    );
    expect((await verify()).differences).toEqual([
      'bytes of blank: receipt 2, recount 1',
      'bytes of structure: receipt 2, recount 3',
    ]);
  });
});

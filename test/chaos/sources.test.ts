// The auditor of the sources suite. The suite itself is `npm run chaos -- sources`.
import { expect, it } from 'vitest';
import { auditSources } from './sources-audit.ts';

it('the auditor sees a version without a run, one with two, a receipt that does not add up and an object that is told wrong', async () => {
  const answers: Record<string, object[]> = {
    'b.original_name': [{ name: 'a.csv', sha: 'ff', phase: 'done', n: 1 }],
    'from engine.runs where': [
      { id: 's', phase: 'done', receipt: { read: 5, outcomes: { new: 1, unchanged: 1 }, vanished: 2 } },
    ],
    'from source_sync_lines': [{ sync_id: 's', fate: 'new', n: 1 }],
    'from source_objects': [{ key: 'in/a.csv', status: 'deleted', sha: null }],
  };
  const ask = async (text: string) => Object.entries(answers).find(([part]) => text.includes(part))?.[1] ?? [];
  const { counts } = await auditSources(
    { ask: ask as never },
    {
      tenantId: 't',
      sourceId: 'x',
      versions: [{ key: 'in/b.csv', content: 'b' }],
      vanished: 0,
      there: new Map([
        ['in/a.csv', 'a'],
        ['in/b.csv', 'b'],
      ]),
      gone: new Set(),
    },
  );
  expect(counts.lost).toBe(2);
  expect(counts.wrong).toBeGreaterThanOrEqual(4);
});

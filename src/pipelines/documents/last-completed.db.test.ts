// VERSION_ACTIVATION=last-completed: the run that ends last is served, but none brings back what was taken away after it had begun.
import { expect, it } from 'vitest';
import { useDocuments } from '../../../test/support/documents.ts';

const bench = useDocuments({ activation: 'last-completed' });
const { api } = bench;

it('a run that ends after its document was deactivated does not revive it, in this mode either', async () => {
  await bench.engine.pause('documents', 'test');
  const { body } = await bench.upload('The budget of the committee is kept in the archive. '.repeat(20), 'budget.txt');
  const named = { as: bench.admin, params: { doc_id: body.doc_id ?? '' }, body: {} };
  expect((await api.call('documents.deactivate', named)).statusCode).toBe(200);
  await bench.engine.unpause('documents');
  expect(await bench.ended(body.run_id ?? '')).toMatchObject({ receipt: { version: 'superseded' } });
  expect(await bench.count('document_versions', 'is_active')).toBe(0);
});

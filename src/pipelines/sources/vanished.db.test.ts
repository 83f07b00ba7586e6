// What vanished: the answers to a mass deletion, and a run that ends after its object is gone.
import { expect, it } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');
const uri = (key: string) => `s3://${bench.bucket.bucket}/${key}`;

/** A source whose three objects became documents and of which two are gone: its sync asks. */
async function heldSync(name: string, seed: number) {
  for (const n of [1, 2, 3]) await bench.put(`${name}/doc${n}.txt`, text(seed + n));
  const source = await bench.connect(bench.wish(name));
  await bench.sync(source);
  for (const n of [1, 2]) await bench.remove(`${name}/doc${n}.txt`);
  const held = await bench.sync(source);
  expect(held.held_at).not.toBeNull();
  const { data } = (await api.call('questions.list', { as: bench.admin })).json();
  const { question_id: questionId } = data.find((each: { run_id: string }) => each.run_id === held.id);
  const answer = async (choice: string) => {
    const params = { question_id: questionId };
    expect((await api.call('questions.answer', { as: bench.admin, params, body: { choice } })).statusCode).toBe(200);
    return bench.ended(held.id);
  };
  return { source, answer };
}

it('a fifth of what is known may vanish unasked, and more than a fifth may not', async () => {
  for (const n of [1, 2, 3, 4, 5]) await bench.put(`fifth/doc${n}.txt`, text(20 + n));
  const source = await bench.connect(bench.wish('fifth'));
  await bench.sync(source);
  await bench.remove('fifth/doc1.txt');
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 4, vanished: 1 } });
  await bench.remove('fifth/doc2.txt');
  const held = await bench.sync(source);
  expect(held.held_at).not.toBeNull();
  expect(await bench.served()).toContain(uri('fifth/doc2.txt'));
});

it('a mass deletion that is answered with keep leaves every document as it is, and is not asked about again', async () => {
  const { source, answer } = await heldSync('kept', 100);
  expect(await answer('keep')).toMatchObject({ status: 'synced', receipt: { vanished: 2 } });
  expect(await bench.objects(source)).toEqual({ 'doc1.txt': 'kept', 'doc2.txt': 'kept', 'doc3.txt': 'live' });
  expect(await bench.served()).toEqual(expect.arrayContaining([1, 2, 3].map((n) => uri(`kept/doc${n}.txt`))));
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 1, vanished: 0 } });
});

it('a mass deletion that is answered with stop ends that sync alone: nothing is taken away, and the next sync looks again', async () => {
  const { source, answer } = await heldSync('stopped', 200);
  expect((await answer('stop')).phase).not.toBe('done');
  expect(await bench.served()).toEqual(expect.arrayContaining([1, 2, 3].map((n) => uri(`stopped/doc${n}.txt`))));
  for (const n of [1, 2]) await bench.put(`stopped/doc${n}.txt`, text(200 + n));
  expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { read: 3, vanished: 0 } });
});

it('a document whose run ends after its object has vanished is not served: the deletion is newer', async () => {
  for (const n of [1, 2, 3, 4, 5, 6]) await bench.put(`late/doc${n}.txt`, text(300 + n));
  const source = await bench.connect(bench.wish('late'));
  const control = (operation: 'pipelines.pause' | 'pipelines.resume') =>
    api.call(operation, { as: bench.admin, params: { pipeline: 'documents' }, body: {} });
  const synced = async () => {
    const started = await api.call('sources.sync', { as: bench.admin, params: { source_id: source } });
    return bench.ended(started.json().run_id);
  };
  await control('pipelines.pause');
  expect(await synced()).toMatchObject({ receipt: { outcomes: { new: 6 } } });
  await bench.remove('late/doc1.txt');
  expect(await synced()).toMatchObject({ status: 'synced', receipt: { read: 5, vanished: 1 } });
  await control('pipelines.resume');
  await bench.quiet(source);
  const served = await bench.served();
  expect(served).toEqual(expect.arrayContaining([2, 3, 4, 5, 6].map((n) => uri(`late/doc${n}.txt`))));
  expect(served).not.toContain(uri('late/doc1.txt'));
  expect(await bench.objects(source)).toMatchObject({ 'doc1.txt': 'deleted', 'doc2.txt': 'live' });
  // Put back as it was, it is served.
  await bench.put('late/doc1.txt', text(301));
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 6, outcomes: { new: 1 } } });
  expect(await bench.served()).toContain(uri('late/doc1.txt'));
});

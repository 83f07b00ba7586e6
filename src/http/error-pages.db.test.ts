// Following the link that a problem answer carries.
import { expect, it } from 'vitest';
import { useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { catalogue, registerErrors } from '../contract/errors/catalogue.ts';

const api = useApi(useDatabase());

it('the type of a problem leads to a page that has its code, without a credential', async () => {
  const problem = (await api.call('runs.list')).json();
  const [path, anchor] = problem.type.split('#');
  const page = await api.server.inject({ url: path });
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(anchor).toBe('unauthenticated');
  for (const code of Object.keys(catalogue)) expect(page.body).toContain(`<section id="${code}">`);
});

it('has the codes of pipelines that do not come with Millrace, with nothing of theirs run', async () => {
  const entry = {
    kind: 'input',
    status: 422,
    message: 'Odd <b>weight</b> & "size".',
    next: 'Weigh it again.',
  } as const;
  registerErrors('parcels', { odd_weight: entry });
  const page = await api.server.inject({ url: '/docs/errors' });
  expect(page.body).toContain('<section id="x.parcels.odd_weight">');
  expect(page.body).toContain('Odd &lt;b&gt;weight&lt;/b&gt; &amp; &quot;size&quot;.');
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
});

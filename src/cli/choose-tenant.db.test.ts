import { beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { createTenant } from '../access/operator.ts';
import { chooseTenant, requireNewName } from './choose-tenant.ts';

const database = useDatabase();
const ids: string[] = [];

beforeAll(async () => {
  for (const name of ['Acme', 'Twin', 'Twin']) ids.push((await createTenant(database.app, { name })).tenant_id);
});

it('a second tenant of the same name is refused, and the refusal names the first', async () => {
  await expect(requireNewName(database.app, ' Acme ')).rejects.toMatchObject({
    code: 'tenant_name_taken',
    message: expect.stringContaining(ids[0] as string),
  });
  await expect(requireNewName(database.app, 'Other')).resolves.toBeUndefined();
});

it('a tenant is found by its name, and by its id where two share a name', async () => {
  expect(await chooseTenant(database.app, 'Acme')).toMatchObject({ tenant_id: ids[0] });
  await expect(chooseTenant(database.app, 'Twin')).rejects.toMatchObject({ code: 'tenant_name_shared' });
  expect(await chooseTenant(database.app, ids[2])).toMatchObject({ tenant_id: ids[2] });
  await expect(chooseTenant(database.app, undefined)).rejects.toMatchObject({ code: 'tenant_unclear' });
});

// Clients: labels inside a tenant for whose customers the numbers are. Not a boundary of access.
import { z } from 'zod';
import { allow } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Id, list, Page, Time } from './values.ts';

export const Client = z.object({ client_id: Id, name: z.string(), created_at: Time });

const ClientWrite = z.strictObject({ name: z.string().trim().min(1).max(200) });

const byId = z.object({ client_id: Id });

export const clientRoutes = defineRoutes({
  'clients.list': {
    tag: 'Clients',
    summary: 'List clients',
    access: allow(['admin', 'user', 'service'], 'data:read'),
    query: Page,
    answer: json(list(Client)),
  },
  'clients.create': {
    tag: 'Clients',
    summary: 'Add a client',
    access: allow(['admin']),
    body: ClientWrite,
    answer: json(Client, 201),
    errors: ['client_name_taken'],
  },
  'clients.show': {
    tag: 'Clients',
    summary: 'Show a client',
    access: allow(['admin', 'user', 'service'], 'data:read'),
    params: byId,
    answer: json(Client),
    errors: ['client_not_found'],
  },
  'clients.update': {
    tag: 'Clients',
    summary: 'Rename a client',
    access: allow(['admin']),
    params: byId,
    body: ClientWrite,
    answer: json(Client),
    errors: ['client_not_found', 'client_name_taken'],
  },
  'clients.remove': {
    tag: 'Clients',
    summary: 'Remove a client that no upload names',
    access: allow(['admin']),
    params: byId,
    answer: empty,
    errors: ['client_not_found', 'client_in_use'],
  },
});

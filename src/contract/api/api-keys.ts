// API keys for programs: shown once, kept as a hash, limited to scopes, revocable.
import { z } from 'zod';
import { allow, type Scope, scopes } from './roles.ts';
import { defineRoutes, empty, json } from './route.ts';
import { Id, list, Page, Time } from './values.ts';

const ScopeName = z.enum(Object.keys(scopes) as [Scope, ...Scope[]]);

export const ApiKey = z.object({
  key_id: Id,
  name: z.string(),
  scopes: z.array(ScopeName),
  created_at: Time,
  created_by: Id.nullable(),
  expires_at: Time.nullable(),
  last_used_at: Time.nullable(),
  revoked_at: Time.nullable(),
});

const ApiKeyCreate = z.strictObject({
  name: z.string().trim().min(1).max(200),
  scopes: z.array(ScopeName).min(1),
  expires_at: Time.optional(),
});

export const apiKeyRoutes = defineRoutes({
  'api-keys.list': {
    tag: 'API keys',
    summary: 'List API keys',
    access: allow(['admin']),
    query: Page,
    answer: json(list(ApiKey)),
  },
  'api-keys.create': {
    tag: 'API keys',
    summary: 'Make an API key',
    access: allow(['admin']),
    body: ApiKeyCreate,
    answer: json(ApiKey.extend({ key: z.string().describe('Shown once; only its hash is kept.') }), 201),
    errors: ['api_key_already_expired'],
  },
  'api-keys.revoke': {
    tag: 'API keys',
    summary: 'Revoke an API key',
    access: allow(['admin']),
    params: z.object({ key_id: Id }),
    answer: empty,
    errors: ['api_key_not_found'],
  },
});

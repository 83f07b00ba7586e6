// The OpenAPI document, the committed copy of it, the typed client and the route table say the same.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { urlOf } from '../contract/api/client.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import { routes } from '../contract/api/routes.ts';
import { isErrorCode } from '../contract/errors/catalogue.ts';
import { openApiDocument } from './openapi.ts';

interface Operation {
  readonly operationId: OperationId;
  readonly parameters: { name: string; in: string; required: boolean }[];
  readonly requestBody?: { required: boolean; content: Record<string, unknown> };
  readonly responses: Record<string, { description: string }>;
  readonly security: unknown[];
}

const document = openApiDocument() as { openapi: string; paths: Record<string, Record<string, Operation>> };
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const copy = fileURLToPath(new URL('../contract/api/openapi.json', import.meta.url));

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and holds every operation of the route table once', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(described.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(routes).sort());
  });

  it('the committed copy is up to date', () => {
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('the client calls the method and path that are described', () => {
    for (const { path, method, operation } of described) {
      expect(operations[operation.operationId][0]).toBe(method);
      const names = operation.parameters.filter((each) => each.in === 'path').map((each) => each.name);
      const params = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`<${name}>`));
      expect(urlOf(operation.operationId, { params })).toBe(filled);
    }
  });

  it('a body is described exactly where the table has one, and required where it cannot be left out', () => {
    for (const { operation } of described) {
      const spec = routes[operation.operationId] as { body?: { safeParse(value: unknown): { success: boolean } } };
      expect([operation.operationId, operation.requestBody !== undefined]).toEqual([
        operation.operationId,
        spec.body !== undefined,
      ]);
    }
    const retry = described.find(({ operation }) => operation.operationId === 'runs.retry');
    expect(retry?.operation.requestBody?.required).toBe(false);
    const login = described.find(({ operation }) => operation.operationId === 'auth.login');
    expect(login?.operation.requestBody?.required).toBe(true);
  });

  it('every operation says which codes it can answer with, all of them catalogued', () => {
    for (const { operation } of described) {
      const codes = Object.values(operation.responses).flatMap(({ description }) =>
        [...description.matchAll(/`([a-z_]+)`/g)].map((match) => match[1] ?? ''),
      );
      expect(codes.length).toBeGreaterThan(0);
      expect([operation.operationId, codes.filter((code) => !isErrorCode(code))]).toEqual([operation.operationId, []]);
    }
  });

  it('only public operations need no credential; every other POST takes an Idempotency-Key', () => {
    for (const { method, operation } of described) {
      const { access } = routes[operation.operationId];
      expect(operation.security.length === 0).toBe(access.kind === 'public');
      const hasKey = operation.parameters.some((each) => each.name === 'Idempotency-Key');
      expect(hasKey).toBe(method === 'POST' && access.kind !== 'public');
    }
  });
});

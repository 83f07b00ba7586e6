// The shape of one route: what goes in, what comes out, who may call. Server registration, OpenAPI, the typed client and the
// tenant-isolation matrix are all derived from values of this type.
import type { z } from 'zod';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Access } from './roles.ts';

export type Tag =
  | 'Auth'
  | 'Users'
  | 'Clients'
  | 'API keys'
  | 'Memberships'
  | 'Uploads'
  | 'Mappings'
  | 'Runs'
  | 'Rejects'
  | 'Pipelines'
  | 'Live'
  | 'Ads'
  | 'Judgments'
  | 'Syncs'
  | 'Documents'
  | 'Search'
  | 'Items'
  | 'Sources'
  | 'Operate'
  | 'Webhooks'
  | 'Alerts'
  | 'Samples'
  | 'System';

export type Answer =
  | { readonly kind: 'json'; readonly status: 200 | 201 | 202; readonly schema: z.ZodType }
  | { readonly kind: 'empty'; readonly status: 204 }
  | { readonly kind: 'file'; readonly status: 200; readonly mediaType: string }
  | { readonly kind: 'stream'; readonly status: 200 }
  | { readonly kind: 'socket'; readonly status: 101 };

export interface RouteSpec {
  readonly tag: Tag;
  readonly summary: string;
  /** Rules a caller must know that the schemas cannot say. */
  readonly notes?: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** multipart bodies are streamed by the handler; their schema describes the form fields. */
  readonly bodyKind?: 'json' | 'multipart';
  /** What may come as JSON instead of the form; the handler parses it. */
  readonly jsonBody?: z.ZodType;
  readonly answer: Answer;
  /** Catalogued errors this route adds to the ones every route can give. */
  readonly errors?: readonly ErrorCode[];
}

export function defineRoutes<const T extends Record<string, RouteSpec>>(specs: T): T {
  return specs;
}

export function json<const S extends z.ZodType>(schema: S, status: 200 | 201 | 202 = 200) {
  return { kind: 'json', status, schema } as const;
}

export const empty = { kind: 'empty', status: 204 } as const;
export const stream = { kind: 'stream', status: 200 } as const;
export const socket = { kind: 'socket', status: 101 } as const;

export function file<const M extends string>(mediaType: M) {
  return { kind: 'file', status: 200, mediaType } as const;
}

// The Airbyte API as far as syncs need it: create, get, list and cancel jobs, list connections, and tell the type of a source.
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type AirbyteConnection, AirbyteJob, AirbyteSource, ConnectionList, JobList } from './answers.ts';
import { callAirbyte, type HttpCall } from './http.ts';
import type { TokenSource } from './tokens.ts';

export interface AirbyteClientOptions {
  readonly baseUrl: string;
  readonly tokens: TokenSource;
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
  readonly errorKinds?: Readonly<Record<string, string>>;
}

export interface AirbyteClient {
  createSync(connectionId: string): Promise<AirbyteJob>;
  getJob(jobId: string): Promise<AirbyteJob>;
  /** Newest first. `createdAtStart` is compared with Airbyte's clock. */
  listSyncs(connectionId: string, options?: { createdAtStart?: Date; limit?: number }): Promise<AirbyteJob[]>;
  /** A job that has ended, or that nobody knows, is as good as cancelled. */
  cancelJob(jobId: string): Promise<void>;
  listConnections(workspaceId: string): Promise<AirbyteConnection[]>;
  getSource(sourceId: string): Promise<AirbyteSource>;
}

const PAGE = 100;
const MAX_CONNECTIONS = 10_000;

export function createAirbyteClient(options: AirbyteClientOptions): AirbyteClient {
  async function call<S extends z.ZodType>(
    wanted: Pick<HttpCall<S>, 'method' | 'body' | 'answer' | 'what'>,
    path: string,
  ) {
    const token = await options.tokens.get();
    const send = (bearer: string) =>
      callAirbyte<S>({
        ...wanted,
        url: `${options.baseUrl}${path}`,
        token: bearer,
        timeoutMs: options.timeoutMs,
        ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
        ...(options.errorKinds ? { errorKinds: options.errorKinds } : {}),
      });
    try {
      return await send(token);
    } catch (error) {
      // A fetched token may have been withdrawn before its time. What was refused had no effect, so it may be said again, once.
      const isRefused = error instanceof MillraceError && error.code === 'airbyte_unauthorized';
      if (!isRefused || !options.tokens.refused(token)) throw error;
      return send(await options.tokens.get());
    }
  }

  return {
    createSync: (connectionId) =>
      call(
        { method: 'POST', body: { connectionId, jobType: 'sync' }, answer: AirbyteJob, what: 'connection' },
        '/jobs',
      ),
    getJob: (jobId) => call({ method: 'GET', answer: AirbyteJob, what: 'job' }, `/jobs/${jobId}`),
    async listSyncs(connectionId, { createdAtStart, limit = PAGE } = {}) {
      const query = new URLSearchParams({ connectionId, jobType: 'sync', limit: String(limit) });
      if (createdAtStart) query.set('createdAtStart', createdAtStart.toISOString());
      const { data } = await call({ method: 'GET', answer: JobList, what: 'connection' }, `/jobs?${query}`);
      return data.filter((job) => job.connectionId === connectionId && job.jobType === 'sync');
    },
    async cancelJob(jobId) {
      try {
        await call({ method: 'DELETE', answer: AirbyteJob, what: 'job' }, `/jobs/${jobId}`);
      } catch (error) {
        const over =
          error instanceof MillraceError && ['airbyte_not_running', 'airbyte_not_found'].includes(error.code);
        if (!over) throw error;
      }
    },
    async listConnections(workspaceId) {
      const found: AirbyteConnection[] = [];
      for (let offset = 0; offset < MAX_CONNECTIONS; offset += PAGE) {
        const query = new URLSearchParams({ workspaceIds: workspaceId, limit: String(PAGE), offset: String(offset) });
        const page = await call({ method: 'GET', answer: ConnectionList, what: 'workspace' }, `/connections?${query}`);
        found.push(...page.data);
        if (page.data.length < PAGE) break;
      }
      return found;
    },
    getSource: (sourceId) =>
      call({ method: 'GET', answer: AirbyteSource, what: 'source' }, `/sources/${encodeURIComponent(sourceId)}`),
  };
}

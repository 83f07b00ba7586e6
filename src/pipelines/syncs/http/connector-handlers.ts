// /v1/connectors: what a tenant's admin sets up. Reading is done under the caller's tenant; changes go through the service, which
// writes the connector and its schedule together.
import type { z } from 'zod';
import type { OperationId } from '../../../contract/api/operations.ts';
import type { Credential as CredentialBody } from '../../../contract/pipelines/syncs/connectors-api.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { actorOf } from '../../../http/engine-of.ts';
import { look } from '../../../http/routes/change.ts';
import type { Credential } from '../airbyte/tokens.ts';
import { listAvailable } from '../connections.ts';
import { viewConnectors } from '../connector-view.ts';
import { addConnector, changeConnector, requireConnector } from '../connectors.ts';
import { removeConnector } from '../remove-connector.ts';
import { type ConnectorRow, listConnectors } from '../sql/connectors.ts';
import type { SyncService } from '../sync-service.ts';
import { type ConnectorAnswer, connectorAnswer } from './connector-answer.ts';

type AnyCall = Pick<Call<OperationId>, 'app' | 'principal'>;

export function connectorHandlers(service: SyncService): Handlers {
  return {
    ...handle('connectors.list', async (call) => {
      const { limit, after } = call.query;
      const cursor = readCursor(after, shapes.uuid)?.[0] ?? null;
      return look(call, async (db, tenantId) => {
        const rows = await listConnectors(db, tenantId, cursor, limit + 1);
        const page = pageOf(rows, limit, (row) => writeCursor(row.connector_id));
        const views = await viewConnectors(db, tenantId, page.data);
        return { data: views.map(connectorAnswer), next: page.next };
      });
    }),
    ...handle('connectors.available', async ({ principal }) => {
      const found = await listAvailable(service, principal.tenantId, { credential: null });
      const data = found.map((each) => ({
        connection_id: each.connectionId,
        name: each.name,
        status: each.status,
        airbyte_workspace_id: each.workspaceId,
        tags: (each.tags ?? []).map(({ name }) => name),
      }));
      return { data };
    }),
    ...handle('connectors.create', async (call) => {
      const { body, principal } = call;
      const added = await addConnector(service, principal.tenantId, {
        name: body.name,
        connectionId: body.connection_id,
        workspaceId: body.airbyte_workspace_id,
        externalAccountId: body.external_account_id,
        intervalSeconds: body.interval_seconds,
        enabled: body.enabled,
        credential: credentialOf(body.credential),
        errorKinds: body.error_kinds,
        createdBy: principal.kind === 'user' ? principal.actorId : null,
      });
      call.trail.acted({ target: added.connector_id });
      return answer(call, added.connector_id);
    }),
    ...handle('connectors.show', (call) => answer(call, call.params.connector_id)),
    ...handle('connectors.update', async (call) => {
      const { body, principal, params } = call;
      await changeConnector(service, principal.tenantId, params.connector_id, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.external_account_id === undefined ? {} : { externalAccountId: body.external_account_id }),
        ...(body.interval_seconds === undefined ? {} : { intervalSeconds: body.interval_seconds }),
        ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
        ...(body.credential === undefined ? {} : { credential: credentialOf(body.credential) }),
        ...(body.error_kinds === undefined ? {} : { errorKinds: body.error_kinds }),
      });
      call.trail.acted({ target: params.connector_id, data: { changed: Object.keys(body) } });
      return answer(call, params.connector_id);
    }),
    ...handle('connectors.remove', async ({ principal, params, app, trail }) => {
      await removeConnector(service, actorOf(principal), params.connector_id, app.log);
      trail.acted({ target: params.connector_id });
      return undefined;
    }),
  };
}

function answer(call: AnyCall, connectorId: string): Promise<ConnectorAnswer> {
  return look(call, async (db, tenantId) => {
    const row: ConnectorRow = await requireConnector(db, tenantId, connectorId);
    const [view] = await viewConnectors(db, tenantId, [row]);
    return connectorAnswer(view as NonNullable<typeof view>);
  });
}

function credentialOf(given: z.output<typeof CredentialBody> | null): Credential | null {
  if (given === null) return null;
  return 'api_token' in given
    ? { kind: 'token', token: given.api_token }
    : { kind: 'client', clientId: given.client_id, clientSecret: given.client_secret };
}

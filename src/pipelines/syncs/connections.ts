// The Airbyte connections a tenant may choose from. Where tenants share a workspace, a connection tagged "millrace:<tenant id>" is
// shown to that tenant alone; one without such a tag is shown to all.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { AirbyteConnection } from './airbyte/answers.ts';
import type { Credential } from './airbyte/tokens.ts';
import type { SyncService } from './sync-service.ts';

export interface ConnectionWish {
  readonly connectionId: string;
  readonly workspaceId?: string | undefined;
  readonly credential: Credential | null;
}

const TAG = 'millrace:';
/** As the table asks for it. */
const shortName = /^[a-z0-9][a-z0-9._-]{0,39}$/;

export async function listAvailable(
  { clients }: Pick<SyncService, 'clients'>,
  tenantId: string,
  wish: Omit<ConnectionWish, 'connectionId'>,
): Promise<AirbyteConnection[]> {
  const workspaceId = workspaceOf(clients.settings.workspaceId, wish);
  const client = clients.forCredential(wish.credential ?? undefined);
  const found = await client.listConnections(workspaceId);
  return found.filter((each) => each.workspaceId === workspaceId && isShownTo(tenantId, each));
}

/** Refuses a connection that is deleted, in another workspace, or not active. */
export async function requireConnection(
  service: Pick<SyncService, 'clients'>,
  tenantId: string,
  wish: ConnectionWish,
): Promise<AirbyteConnection> {
  const { connectionId: connection } = wish;
  const found = (await listAvailable(service, tenantId, wish)).find(({ connectionId }) => connectionId === connection);
  if (found === undefined) {
    const workspace = workspaceOf(service.clients.settings.workspaceId, wish);
    throw new MillraceError('connection_not_found', { connection, workspace });
  }
  if (found.status !== 'active') throw new MillraceError('connection_not_active', { connection, state: found.status });
  return found;
}

/** The type of its source, in the form figures are told by. Null when Airbyte does not say: a figure is no reason to refuse a connector. */
export async function providerOf(
  { clients }: Pick<SyncService, 'clients'>,
  wish: Pick<ConnectionWish, 'credential'>,
  { sourceId }: Pick<AirbyteConnection, 'sourceId'>,
): Promise<string | null> {
  if (!sourceId) return null;
  try {
    const { sourceType } = await clients.forCredential(wish.credential ?? undefined).getSource(sourceId);
    return shortName.exec(sourceType.trim().toLowerCase().replaceAll(' ', '-'))?.[0] ?? null;
  } catch (error) {
    if (error instanceof MillraceError) return null;
    throw error;
  }
}

/** With the installation's credential only the installation's workspace can be reached. */
function workspaceOf(installation: string | undefined, wish: Omit<ConnectionWish, 'connectionId'>): string {
  const wanted = wish.credential === null ? installation : (wish.workspaceId ?? installation);
  if (wanted === undefined) throw new MillraceError('airbyte_not_configured', { missing: 'AIRBYTE_WORKSPACE_ID' });
  const isForeign = wish.credential === null && wish.workspaceId !== undefined && wish.workspaceId !== wanted;
  if (isForeign) throw new MillraceError('workspace_wrong', { workspace: wish.workspaceId ?? '' });
  return wanted;
}

function isShownTo(tenantId: string, { tags }: AirbyteConnection): boolean {
  const owners = (tags ?? []).map(({ name }) => name).filter((name) => name.startsWith(TAG));
  return owners.length === 0 || owners.includes(`${TAG}${tenantId}`);
}

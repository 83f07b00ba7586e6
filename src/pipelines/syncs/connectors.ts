// Connectors: what a tenant's admin sets up. A connector and its place in the engine's schedules are written in one transaction,
// and only after Airbyte has shown that the connection is there, in the right workspace, and active.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { readDueTimes } from '../../engine/reads/read-due-times.ts';
import { saveSchedule } from '../../engine/schedules.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Credential } from './airbyte/tokens.ts';
import { checkInterval } from './cadence.ts';
import { providerOf, requireConnection } from './connections.ts';
import { scheduleName, scheduleOf } from './connector-schedule.ts';
import { type ConnectorRow, findConnector, findPlan } from './sql/connectors.ts';
import { insertConnector, updateConnector } from './sql/write-connector.ts';
import { type Halves, inOneTransaction, type SyncService } from './sync-service.ts';

export interface ConnectorWish {
  readonly name: string;
  readonly connectionId: string;
  readonly workspaceId?: string | undefined;
  readonly externalAccountId: string;
  readonly intervalSeconds: number | null;
  readonly enabled: boolean;
  readonly credential: Credential | null;
  readonly errorKinds: Readonly<Record<string, string>>;
  readonly createdBy: string | null;
}

/** Fields that are left out stay as they are; `credential: null` goes back to the installation's. */
export type ConnectorPatch = Partial<
  Pick<ConnectorWish, 'name' | 'externalAccountId' | 'intervalSeconds' | 'enabled' | 'credential' | 'errorKinds'>
>;

export async function addConnector(service: SyncService, tenantId: string, wish: ConnectorWish): Promise<ConnectorRow> {
  await inOneTransaction(service, tenantId, ({ asTenant }) =>
    asTenant(async (db) => checkInterval((await findPlan(db, tenantId)) ?? '', wish.intervalSeconds)),
  );
  const connection = await requireConnection(service, tenantId, wish);
  const connectorId = uuidv7();
  const draft = {
    ...wish,
    connectorId,
    tenantId,
    workspaceId: connection.workspaceId,
    provider: await providerOf(service, wish, connection),
    credential: sealed(service, connectorId, wish.credential),
    credentialKind: wish.credential?.kind ?? 'installation',
  };
  return inOneTransaction(service, tenantId, async (halves) => {
    await halves.asTenant((db) => insertConnector(db, draft)).catch((error: unknown) => explainTaken(error, wish));
    return placeInSchedule(service, halves, tenantId, connectorId);
  });
}

export function changeConnector(
  service: SyncService,
  tenantId: string,
  connectorId: string,
  patch: ConnectorPatch,
): Promise<ConnectorRow> {
  return inOneTransaction(service, tenantId, async (halves) => {
    const before = await halves.asTenant((db) => requireConnector(db, tenantId, connectorId));
    const intervalSeconds = patch.intervalSeconds === undefined ? before.interval_seconds : patch.intervalSeconds;
    if (patch.intervalSeconds !== undefined) checkInterval(before.plan, intervalSeconds);
    const change = {
      name: patch.name ?? before.name,
      externalAccountId: patch.externalAccountId ?? before.external_account_id,
      intervalSeconds,
      enabled: patch.enabled ?? before.enabled,
      errorKinds: patch.errorKinds ?? before.error_kinds,
      credential:
        patch.credential === undefined
          ? undefined
          : { sealed: sealed(service, connectorId, patch.credential), kind: patch.credential?.kind ?? 'installation' },
    };
    await halves
      .asTenant((db) => updateConnector(db, tenantId, connectorId, change))
      .catch((error: unknown) => explainTaken(error, { name: change.name, connectionId: before.connection_id }));
    // A window that is due stays due: only another rhythm, or switching on, computes it again.
    const keepsRhythm = before.enabled && change.enabled && before.interval_seconds === intervalSeconds;
    return placeInSchedule(service, halves, tenantId, connectorId, keepsRhythm);
  });
}

export async function requireConnector(
  db: Parameters<typeof findConnector>[0],
  tenantId: string,
  connectorId: string,
): Promise<ConnectorRow> {
  const connector = await findConnector(db, tenantId, connectorId);
  if (!connector) throw new MillraceError('connector_not_found', { connector: connectorId });
  return connector;
}

async function placeInSchedule(
  { engine }: SyncService,
  { tx, asTenant }: Halves,
  tenantId: string,
  connectorId: string,
  keepsRhythm = false,
): Promise<ConnectorRow> {
  const connector = await asTenant((db) => requireConnector(db, tenantId, connectorId));
  const name = scheduleName(connectorId);
  const planned = keepsRhythm ? (await readDueTimes(tx, tenantId, [name])).get(name) : undefined;
  const schedule = scheduleOf(connector);
  await saveSchedule(tx, engine.registry, planned === undefined ? schedule : { ...schedule, nextAt: planned });
  return connector;
}

function sealed({ clients }: SyncService, connectorId: string, credential: Credential | null): Buffer | null {
  return credential === null ? null : clients.box.seal(connectorId, JSON.stringify(credential));
}

function explainTaken(error: unknown, wish: { readonly name: string; readonly connectionId: string }): never {
  if (!isUniqueViolation(error)) throw error;
  const { constraint } = error as { constraint?: string };
  if (constraint === 'connectors_name_once')
    throw new MillraceError('connector_name_taken', { name: wish.name }, { cause: error });
  throw new MillraceError('connection_taken', { connection: wish.connectionId }, { cause: error });
}

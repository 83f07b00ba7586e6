// The way to Airbyte for each connector: the installation's credential, or its own, opened only here and kept only in memory.
// Connectors that share a credential share its token, so that one refresh serves them all.
import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { type AirbyteClient, createAirbyteClient } from './airbyte/client.ts';
import { type Credential, createTokenSource, type TokenSource } from './airbyte/tokens.ts';
import { readCredential } from './sql/connectors.ts';

export interface AirbyteSettings {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  /** The installation's credential, if it has one. */
  readonly credential?: Credential | undefined;
  readonly workspaceId?: string | undefined;
}

export interface AirbyteClients {
  readonly settings: AirbyteSettings;
  readonly box: SecretBox;
  /** `db` is a look under the connector's tenant. */
  forConnector(db: Queryable, connector: ConnectorIdentity): Promise<AirbyteClient>;
  /** For what a removed connector left at Airbyte. */
  forKept(kept: KeptCredential): AirbyteClient;
  forCredential(credential: Credential | undefined, errorKinds?: Readonly<Record<string, string>>): AirbyteClient;
}

export interface ConnectorIdentity {
  readonly connector_id: string;
  readonly tenant_id: string;
  readonly credential_kind: string;
  readonly error_kinds: Readonly<Record<string, string>>;
}

export interface KeptCredential {
  readonly connector_id: string;
  readonly credential_kind: string;
  /** Sealed; null for the installation's. */
  readonly credential: Buffer | null;
}

const MAX_TOKEN_SOURCES = 1_000;

const StoredCredential = z.union([
  z.object({ kind: z.literal('token'), token: z.string() }),
  z.object({ kind: z.literal('client'), clientId: z.string(), clientSecret: z.string() }),
]);

export function createAirbyteClients(
  settings: AirbyteSettings,
  box: SecretBox,
  dispatcher?: Dispatcher,
): AirbyteClients {
  const sources = new Map<string, TokenSource>();
  const reach = {
    baseUrl: settings.baseUrl.replace(/\/+$/, ''),
    timeoutMs: settings.timeoutMs,
    ...(dispatcher ? { dispatcher } : {}),
  };

  function sourceOf(credential: Credential): TokenSource {
    const key = createHash('sha256').update(JSON.stringify(credential)).digest('base64');
    const known = sources.get(key);
    if (known) return known;
    const made = createTokenSource(credential, reach);
    // The oldest goes first; what is needed again is made again.
    if (sources.size >= MAX_TOKEN_SOURCES) sources.delete(sources.keys().next().value ?? '');
    sources.set(key, made);
    return made;
  }

  function forCredential(
    credential: Credential | undefined = settings.credential,
    errorKinds: Readonly<Record<string, string>> = {},
  ): AirbyteClient {
    if (credential === undefined) throw new MillraceError('airbyte_not_configured', { missing: 'AIRBYTE_API_TOKEN' });
    return createAirbyteClient({ ...reach, tokens: sourceOf(credential), errorKinds });
  }

  function forKept(kept: KeptCredential, errorKinds: Readonly<Record<string, string>> = {}): AirbyteClient {
    if (kept.credential_kind === 'installation') return forCredential(undefined, errorKinds);
    const text = kept.credential ? box.open(kept.connector_id, kept.credential) : undefined;
    if (text === undefined) throw new MillraceError('connector_secret_unreadable', { connector: kept.connector_id });
    return forCredential(StoredCredential.parse(JSON.parse(text)), errorKinds);
  }

  return {
    settings,
    box,
    forCredential,
    forKept,
    async forConnector(db, connector) {
      const { tenant_id: tenantId, connector_id: connectorId, credential_kind: kind } = connector;
      const sealed = kind === 'installation' ? null : await readCredential(db, tenantId, connectorId);
      return forKept({ ...connector, credential: sealed ?? null }, connector.error_kinds);
    },
  };
}

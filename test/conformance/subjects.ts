// What a pipeline is tried on: its first sample. A pipeline that takes no files says here how a run of it is started.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startFakeAirbyte } from '../support/fake-airbyte/server.ts';
import type { Installation, Person } from './installation.ts';

export interface Subject {
  /** For the processes of the installation. */
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the id of the run. */
  start(installation: Installation, person: Person): Promise<string>;
  /** Tables that have a row for each try at something, not for the thing: a killed try and its successor are two. */
  readonly notesOfAttempts?: readonly string[];
  /** Words that may stand in no log. */
  readonly secrets: readonly string[];
  close?(): Promise<void>;
}

/** By the name of the pipeline. */
export const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  async sources() {
    // Empty files are refused by every pipeline, so that a sync ends alike whoever works beside it.
    const root = mkdtempSync(path.join(tmpdir(), 'millrace-source-'));
    const secrets = ['kestrel', 'plover', 'wagtail'].map((word) => `${word}-ledger`);
    for (const name of secrets) writeFileSync(path.join(root, `${name}.txt`), '');
    return {
      env: { SOURCE_FOLDER_ROOTS: root },
      secrets,
      // Every attempt says which sync it is of.
      notesOfAttempts: ['source_syncs'],
      async start(installation, person) {
        const wish = {
          name: 'Folder',
          pipeline: 'documents',
          place: { kind: 'folder', directory: root },
          settle_seconds: 0,
        };
        const source = await installation.call<{ source_id: string }>(person, 'POST', '/v1/sources', wish);
        const started = await installation.call<{ run_id: string }>(
          person,
          'POST',
          `/v1/sources/${source.source_id}/sync`,
          {},
        );
        return started.run_id;
      },
      close: async () => rmSync(root, { recursive: true, force: true }),
    };
  },
  async syncs() {
    const airbyte = await startFakeAirbyte({ runMs: 1, rows: 7 });
    return {
      env: {
        AIRBYTE_BASE_URL: airbyte.url,
        AIRBYTE_API_TOKEN: airbyte.token,
        AIRBYTE_WORKSPACE_ID: airbyte.workspaceId,
        MIN_INTERVAL_SECONDS: '1',
      },
      secrets: [airbyte.token],
      async start(installation, person) {
        const { connectionId } = airbyte.addConnection();
        const wish = { name: `Orders ${connectionId}`, connection_id: connectionId, external_account_id: connectionId };
        const connector = await installation.call<{ connector_id: string }>(person, 'POST', '/v1/connectors', wish);
        const { sync } = await installation.call<{ sync: { job_id: string } }>(person, 'POST', '/v1/syncs', {
          connector_id: connector.connector_id,
        });
        return sync.job_id;
      },
      close: () => airbyte.close(),
    };
  },
};

/** A sample as somebody clicks on it. */
export function sampleSubject(name: string, secrets: readonly string[]): Subject {
  return {
    secrets,
    async start(installation, person) {
      const path = `/v1/samples/${encodeURIComponent(name)}/run`;
      return (await installation.call<{ upload_id: string }>(person, 'POST', path, {})).upload_id;
    },
  };
}

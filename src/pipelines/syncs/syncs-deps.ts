// What syncs are made from: the settings, and the way to Airbyte for each connector.
import type { AirbyteClients } from './airbyte-clients.ts';

export interface PollPace {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Each pause is this many times longer. */
  readonly factor: number;
  /** How long Airbyte may fail to answer about a running job before the attempt is given up. The job goes on meanwhile. */
  readonly patienceMs: number;
}

export const defaultPollPace: PollPace = { firstMs: 2_000, maxMs: 30_000, factor: 1.5, patienceMs: 600_000 };

export interface SyncLimits {
  /** min_interval_seconds: between two triggers of one connector. */
  readonly minIntervalSeconds: number;
  readonly accountTriggersPerHour: number;
  /** Dead letters in a row after which a connector is switched off. */
  readonly failureLimit: number;
}

export interface SyncsDeps {
  readonly clients: AirbyteClients;
  readonly limits: SyncLimits;
  readonly poll: PollPace;
}

// The checkpoint of a sync, one of three states: nothing sent, perhaps sent (intent), known at Airbyte (job).

export interface SyncCheckpoint {
  /** Set before the trigger is sent: from then on Airbyte may have started a job, whether or not we heard of it. */
  readonly intent?: {
    /** By the engine's clock. */
    readonly at: string;
    /** The newest sync Airbyte knew of the connection before: any newer one is ours, or as good as ours. */
    readonly afterJobId: string;
  };
  readonly job?: {
    readonly id: string;
    /** When it was triggered or adopted, by the engine's clock: what cadence is reckoned from. */
    readonly startedAt: string;
    readonly adopted: boolean;
  };
}

export const NO_JOB_YET = '0';

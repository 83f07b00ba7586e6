// The event that says that the numbers of an upload are stored. The transaction that ends the run puts it into the outbox, once.
import type { EmittedEvent } from '../../engine/stage-context.ts';
import type { AdsInput } from './input.ts';

export const INGESTION_COMPLETE = 'IngestionCompleteEvent';

export interface IngestionMetrics {
  readonly total_rows: number;
  readonly promoted_rows: number;
  readonly failed_rows: number;
  readonly campaigns_upserted: number;
  readonly ad_sets_upserted: number;
  readonly ads_upserted: number;
  readonly daily_metrics_upserted: number;
}

export function ingestionComplete(
  run: { readonly id: string; readonly tenantId: string },
  input: AdsInput,
  status: 'completed' | 'partial',
  metrics: IngestionMetrics,
  affectedDates: readonly string[],
  doubts: Readonly<Record<string, number>> = {},
): EmittedEvent {
  return {
    type: INGESTION_COMPLETE,
    data: {
      upload_id: run.id,
      workspace_id: run.tenantId,
      client_id: input.client_id ?? null,
      platform: input.platform,
      status,
      metrics,
      affected_dates: affectedDates,
      // By code, as on the receipt. Only where there are any: who knows nothing of doubts gets what was agreed on.
      ...(Object.keys(doubts).length === 0 ? {} : { doubts }),
      timestamp: new Date().toISOString(),
    },
  };
}

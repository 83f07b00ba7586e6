// What a run promotes or takes back numbers for: its workspace, client and platform, as every statement of the promotion is given them.
import type { StageContext } from '../../engine/stage-context.ts';
import type { AdsInput } from './input.ts';
import type { PromotionScope } from './sql/promote-dimensions.ts';

/** `part`: what the report lists, when it is not whole. `rereadOf`: the run whose numbers this one takes over. */
export function promotionScope(
  { run, input }: Pick<StageContext<AdsInput>, 'run' | 'input'>,
  { part, rereadOf }: Pick<PromotionScope, 'part' | 'rereadOf'>,
): PromotionScope {
  return {
    uploadId: run.id,
    workspaceId: run.tenantId,
    clientId: input.client_id ?? null,
    platform: input.platform,
    reportedAt: input.reported_at,
    part,
    rereadOf,
  };
}

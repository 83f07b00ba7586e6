// Ads metrics: parse a platform's export into staging, pass the gate, promote.
import { ads } from '../../contract/pipelines/ads/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import type { RetryPolicy } from '../../engine/retry-policy.ts';
import { AdsInput } from './input.ts';
import { type AdsDeps, parseUpload } from './parse.ts';
import { promoteUpload } from './promote.ts';
import { recountUpload } from './recount.ts';

/**
 * The specification's rows: a deadlock that outlasted the smaller batches is tried three times more, and a rate limit is waited out five times,
 * a minute each. Lost connections are the engine's own row.
 */
export const adsRetryPolicy: RetryPolicy = {
  conflict: { max: 3, backoff: { baseMs: 100, factor: 2, maxMs: 400, jitter: 0 } },
  rate_limited: { max: 5, backoff: { baseMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0 } },
};

export function adsPipeline(deps: AdsDeps): Pipeline<AdsInput> {
  return definePipeline<AdsInput>({
    machine: ads,
    input: AdsInput,
    stages: {
      parse: { role: 'ads_parse', work: (context) => parseUpload(context, deps) },
      promote: { role: 'ads_promote', work: (context) => promoteUpload(context, deps) },
    },
    retry: adsRetryPolicy,
    laneCap: 3,
    recount: (run, tx) => recountUpload(run, tx, deps),
    announce: ['queued', 'started'],
  });
}

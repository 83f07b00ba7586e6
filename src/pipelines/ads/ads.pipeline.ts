// Ads metrics: parse a platform's export into staging, pass the gate, promote.
import { ads } from '../../contract/pipelines/ads/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import { AdsInput } from './input.ts';
import { type AdsDeps, parseUpload } from './parse.ts';
import { promoteUpload } from './promote.ts';
import { recountUpload } from './recount.ts';

export function adsPipeline(deps: AdsDeps): Pipeline<AdsInput> {
  return definePipeline<AdsInput>({
    machine: ads,
    input: AdsInput,
    stages: {
      parse: { role: 'ads_parse', work: (context) => parseUpload(context, deps) },
      promote: { role: 'ads_promote', work: (context) => promoteUpload(context, deps) },
    },
    laneCap: 3,
    recount: (run, tx) => recountUpload(run, tx, deps),
    announce: ['queued', 'started'],
  });
}

// Court judgments: a batch is a file that is imported once. One stage, because the specification's machine has one.
import { judgments } from '../../contract/pipelines/judgments/states.ts';
import { definePipeline, type Pipeline } from '../../engine/pipeline.ts';
import { importBatch, type JudgmentsDeps } from './import.ts';
import { JudgmentsInput } from './input.ts';
import { recountBatch } from './recount.ts';

export function judgmentsPipeline(deps: JudgmentsDeps): Pipeline<JudgmentsInput> {
  return definePipeline<JudgmentsInput>({
    machine: judgments,
    input: JudgmentsInput,
    stages: { import: { role: 'judgments_import', work: (context) => importBatch(context, deps) } },
    recount: (run, tx) => recountBatch(run, tx, deps),
    // A failed batch is corrected, retried or superseded by a person, never replaced in silence.
    failedAreDeadLetters: true,
    announce: ['queued', 'started'],
  });
}

// The question timer fails runs whose question nobody answered in time, so that every run ends.
import type { Pool } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { endOverdueQuestions } from '../questions.ts';
import type { Elected } from './election.ts';
import { createLoop, type Service } from './loop.ts';

export interface QuestionTimerOptions {
  readonly pool: Pool;
  readonly log: Log;
  readonly everyMs: number;
  readonly election?: Elected;
}

export function createQuestionTimer(options: QuestionTimerOptions): Service {
  return createLoop({
    name: 'question timer',
    ...options,
    tick: async () => ((await endOverdueQuestions(options.pool)) > 0 ? 0 : undefined),
  });
}

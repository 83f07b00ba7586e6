// Every step of the model test, by name. Each is drawn as numbers only and picks its run or worker when it is taken, so that a sequence still
// means something after others have been left out of it.
import { doubtfulSteps } from './doubtful-steps.ts';
import type { Draw } from './scene.ts';
import { scheduleSteps } from './schedule-steps.ts';
import { ordinarySteps } from './steps.ts';

export const allSteps = { ...ordinarySteps, ...doubtfulSteps, ...scheduleSteps } as const;

export interface Step {
  readonly do: keyof typeof allSteps;
  readonly draw: Draw;
}

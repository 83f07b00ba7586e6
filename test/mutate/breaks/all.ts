// Every break there is.
import type { Break } from '../break.ts';
import { conformanceBreaks } from './conformance.ts';
import { documentBreaks } from './documents.ts';
import { effectsBreaks } from './effects.ts';
import { engineBreaks } from './engine.ts';
import { intakeBreaks } from './intake.ts';
import { itemBreaks } from './items.ts';
import { outboxBreaks } from './outbox.ts';
import { readingBreaks } from './readings.ts';
import { sourceBreaks } from './sources.ts';
import { tabularBreaks } from './tabular.ts';

export const breaks: readonly Break[] = [
  ...conformanceBreaks,
  ...documentBreaks,
  ...effectsBreaks,
  ...engineBreaks,
  ...intakeBreaks,
  ...itemBreaks,
  ...outboxBreaks,
  ...readingBreaks,
  ...sourceBreaks,
  ...tabularBreaks,
];

// What the parts of the stage are given.
import type { StageContext } from '../../engine/stage-context.ts';
import type { DocumentInput } from './input.ts';

export type DocumentContext = StageContext<DocumentInput>;

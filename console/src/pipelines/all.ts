// The pipelines the console knows by themselves: the one list.
import { adsKit } from './ads/kit.tsx';
import { documentsKit } from './documents/kit.tsx';
import { itemsKit } from './items/kit.tsx';
import { judgmentsKit } from './judgments/kit.tsx';
import type { ConsoleKit, RunParts } from './kit.ts';
import { sourcesKit } from './sources/kit.tsx';
import { syncsKit } from './syncs/kit.tsx';

const listed = [adsKit, judgmentsKit, documentsKit, syncsKit, itemsKit, sourcesKit] as const;

export const kits: readonly ConsoleKit[] = listed;

/** The pages of all kits, by the page they stand under. */
export const kitRoutes = {
  run: listed.flatMap(({ routes }) => [...routes.run]),
  data: listed.flatMap(({ routes }) => [...routes.data]),
  operate: listed.flatMap(({ routes }) => [...routes.operate]),
  shell: listed.flatMap(({ routes }) => [...routes.shell]),
};

/** The general appearance of a run whose pipeline has no kit here. */
const general: RunParts = { views: ['rejects', 'rows'] };

export function runPartsOf(pipeline: string): RunParts {
  return kits.find(({ name }) => name === pipeline)?.run ?? general;
}

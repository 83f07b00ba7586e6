// Every machine of the product. docs/states.md, the console's diagrams and the test that takes every arrow read this list.
import { ads } from './ads.ts';
import { judgments } from './judgments.ts';
import type { Machine } from './machine.ts';
import { syncs } from './syncs.ts';

export const machines: readonly Machine[] = [ads, judgments, syncs];

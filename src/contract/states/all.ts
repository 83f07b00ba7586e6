// Every machine of the product. docs/states.md, the console's diagrams and the test that takes every arrow read this list.
import { ads } from './ads.ts';
import type { Machine } from './machine.ts';

export const machines: readonly Machine[] = [ads];

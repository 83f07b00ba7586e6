// What the pipelines of the product add to the closed lists of the contract: machines, operations, errors, events, facts of alerts. A new pipeline adds
// its folder here and its route table to routes.ts; types, documents, the console's diagrams and the test that takes every arrow
// follow from these lists. Free of zod.
import type { Machine } from '../states/machine.ts';
import { adsErrors } from './ads/errors.ts';
import { adsAlertEvents, adsEvents } from './ads/events.ts';
import { adsOperations } from './ads/operations.ts';
import { ads } from './ads/states.ts';
import { documentsErrors } from './documents/errors.ts';
import { documentsOperations } from './documents/operations.ts';
import { documents } from './documents/states.ts';
import { itemsErrors } from './items/errors.ts';
import { itemsAlertEvents, itemsEvents } from './items/events.ts';
import { itemsOperations } from './items/operations.ts';
import { items } from './items/states.ts';
import { judgmentsErrors } from './judgments/errors.ts';
import { judgmentsAlertEvents } from './judgments/events.ts';
import { judgmentsOperations } from './judgments/operations.ts';
import { judgments } from './judgments/states.ts';
import { sourcesErrors } from './sources/errors.ts';
import { sourcesAlertEvents, sourcesEvents } from './sources/events.ts';
import { sourcesOperations } from './sources/operations.ts';
import { sources } from './sources/states.ts';
import { syncErrors } from './syncs/errors.ts';
import { syncsAlertEvents, syncsEvents } from './syncs/events.ts';
import { syncsOperations } from './syncs/operations.ts';
import { syncs } from './syncs/states.ts';

export const machines: readonly Machine[] = [ads, judgments, syncs, documents, items, sources];

export const pipelineOperations = {
  ...adsOperations,
  ...judgmentsOperations,
  ...syncsOperations,
  ...documentsOperations,
  ...itemsOperations,
  ...sourcesOperations,
};

export const pipelineErrors = {
  ...adsErrors,
  ...judgmentsErrors,
  ...syncErrors,
  ...documentsErrors,
  ...itemsErrors,
  ...sourcesErrors,
};

export const pipelineEvents = { ...adsEvents, ...syncsEvents, ...sourcesEvents, ...itemsEvents };

export const pipelineAlertEvents = {
  ...adsAlertEvents,
  ...judgmentsAlertEvents,
  ...syncsAlertEvents,
  ...sourcesAlertEvents,
  ...itemsAlertEvents,
};

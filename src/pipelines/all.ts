// The pipelines that come with Millrace: the one list. What the browser needs of them is listed in contract/pipelines.
import { adsKit } from './ads/kit.ts';
import { documentsKit } from './documents/kit.ts';
import { itemsKit } from './items/kit.ts';
import { judgmentsKit } from './judgments/kit.ts';
import type { PipelineKit } from './kit.ts';
import { sourcesKit } from './sources/kit.ts';
import { syncsKit } from './syncs/kit.ts';

export const kits: readonly PipelineKit[] = [adsKit, judgmentsKit, syncsKit, documentsKit, itemsKit, sourcesKit];

/** Their database roles, which the login of an installation may become. */
export const kitRoles: readonly string[] = kits.flatMap(({ databaseRoles = [] }) => databaseRoles);

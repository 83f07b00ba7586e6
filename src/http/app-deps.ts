// What the HTTP app is made from.
import type { AppParts } from './app-context.ts';
import type { Handlers } from './call.ts';

export type { ReadyCheck } from './app-context.ts';
export { defaultHttpSettings, type HttpSettings } from './http-settings.ts';

export interface AppDeps extends AppParts {
  /** Operations that pipelines and the engine bring; they win over the built-in ones. */
  readonly handlers?: Handlers;
}

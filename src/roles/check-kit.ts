// Checks what a kit declares. The process refuses to start with a wrong kit and names the fault, so that no run meets it. A third-party pipeline
// uses names of its own, because rules and events share one list.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { PipelineKit } from '../pipelines/kit.ts';

/** Of stages that name none. */
const DEFAULT_ROLE = 'millrace_app';
const pipelineName = /^[a-z][a-z0-9_-]{0,40}$/;
const errorWord = /^[a-z][a-z0-9_]{0,40}$/;
const roleName = /^[a-z][a-z0-9_]{0,62}$/;

/** A role that nobody declared is one that the login may not become. */
export function requireDeclaredRoles(
  { name, databaseRoles = [], staging }: PipelineKit,
  { name: pipeline, stages }: AnyPipeline,
): void {
  if (pipeline !== name) throw refused(name, `its machine is called ${pipeline}: both need the same name`);
  for (const role of databaseRoles)
    if (!roleName.test(role)) throw refused(name, `"${role}" cannot be the name of a database role`);
  const used = [...Object.values(stages).map(({ role }) => role), staging?.role];
  for (const role of used)
    if (role !== undefined && role !== DEFAULT_ROLE && !databaseRoles.includes(role))
      throw refused(name, `it works as the database role ${role}, which databaseRoles does not name`);
}

/** For pipelines that do not come with Millrace. `others`: those that do, and those of modules before. */
export function requireOwnNames(kit: PipelineKit, others: readonly PipelineKit[]): void {
  const { name, events = {}, alerts = {}, errors = {} } = kit;
  if (!pipelineName.test(name))
    throw refused(name, `"${name}" cannot be the name of a pipeline: use a to z, 0 to 9, - and _`);
  if (others.some((other) => other.name === name)) throw refused(name, `there is a pipeline ${name} already`);
  if (kit.handlers !== undefined)
    throw refused(name, `its routes stand under /v1/x/${name}/: declare them as routes, not as handlers`);
  for (const word of Object.keys(errors))
    if (!errorWord.test(word)) throw refused(name, `"${word}" cannot be a part of an error code`);
  const taken = new Set(others.flatMap((other) => Object.keys(other.events ?? {})));
  for (const type of Object.keys(events)) {
    if (/^(?:run|alert|webhook)\./.test(type)) throw refused(name, `the event ${type} is Millrace's own`);
    if (taken.has(type)) throw refused(name, `the event ${type} is another pipeline's`);
  }
  const words = name.replaceAll('-', '_');
  for (const rule of alerts.rules ?? []) {
    if (!rule.name.startsWith(`${words}_`))
      throw refused(name, `the alert rule ${rule.name} must begin with ${words}_`);
    if ('event' in rule.on && !rule.on.event.startsWith(`x.${name}.`))
      throw refused(name, `the alert rule ${rule.name} must name an event x.${name}.…`);
  }
}

function refused(module: string, reason: string): MillraceError {
  return new MillraceError('pipeline_module_invalid', { module, reason });
}

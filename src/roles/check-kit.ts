// Checks what a kit declares. The process refuses to start with a wrong kit and names the fault, so that no run meets it. A third-party pipeline
// uses names of its own, because rules and events share one list.
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { PipelineKit } from '../pipelines/kit.ts';

/** Of stages that name none. */
const DEFAULT_ROLE = 'millrace_app';
const roleName = /^[a-z][a-z0-9_]{0,62}$/;

/** A role that nobody declared is one that the login may not become. */
export function requireDeclaredRoles(
  { name, databaseRoles = [], staging }: PipelineKit,
  { stages }: AnyPipeline,
): void {
  for (const role of databaseRoles)
    if (!roleName.test(role)) throw refused(name, `"${role}" is no name of a database role`);
  const used = [...Object.values(stages).map(({ role }) => role), staging?.role];
  for (const role of used)
    if (role !== undefined && role !== DEFAULT_ROLE && !databaseRoles.includes(role))
      throw refused(name, `it works as the database role ${role}, which databaseRoles does not name`);
}

/** For pipelines that do not come with Millrace. */
export function requireOwnNames({ name, events = {}, alerts = {} }: PipelineKit): void {
  for (const type of Object.keys(events))
    if (/^(?:run|alert|webhook)\./.test(type)) throw refused(name, `the event ${type} is Millrace's own`);
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

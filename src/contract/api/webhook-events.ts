// What a webhook can be told about. Free of zod, so that the console can import it. Pipelines may add event types of their own:
// an endpoint that asks for "*" gets those too.
import { pipelineEvents } from '../pipelines/all.ts';

export const webhookEvents = {
  'run.queued': 'a run was accepted (pipelines that announce it)',
  'run.started': 'a worker began an attempt (pipelines that announce it)',
  'run.staged': 'a stage of a run was finished, the next one is queued',
  'run.released': 'an attempt failed or was given back; the run is tried again',
  'run.asked': 'a run is in doubt and waits for an answer before it stores anything',
  'run.taken_over': 'a worker went silent; the run is taken over',
  'run.done': 'a run ended well; its receipt adds up',
  'run.failed': 'a run failed for good',
  'run.dead': 'a run became a dead letter',
  ...pipelineEvents,
  'alert.raised': 'an alert was raised',
  'webhook.disabled': 'an endpoint was switched off because its receiver is gone or failed too long',
} as const;

/** What an endpoint gets that asks for nothing in particular, in the API, the command line and the console: questions, the ends of runs, and
 * other endpoints' trouble. */
export const defaultWebhookEvents = ['run.asked', 'run.done', 'run.failed', 'run.dead', 'webhook.disabled'] as const;

/** waiting for its time · sending right now · delivered · failed for good (all tries used, or the endpoint was off) */
export const deliveryStatuses = ['waiting', 'sending', 'delivered', 'failed'] as const;

/** person: somebody switched it off · gone: it answered 410 · failing: it failed for too long */
export const webhookDisabledReasons = ['person', 'gone', 'failing'] as const;

/** Whether an endpoint that asks for these wants an event: exact names, "run.*", or "*". A test goes only where it was sent. */
export function wantsEvent(patterns: readonly string[], type: string): boolean {
  if (type === 'webhook.test') return false;
  return patterns.some(
    (pattern) =>
      pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

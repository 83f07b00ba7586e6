// Reads the outbox, opens an alert for each event that a rule names, and resolves alerts that the end of a run settles. It works in the
// transaction that moves its offset, so that it judges each event once. It skips events from before alerts existed.
import type { AlertEvent } from '../../contract/api/alert-metrics.ts';
import type { ConsumerOptions } from '../../engine/consumer.ts';
import { attemptOf, type FeedRow } from '../../engine/sql/event-feed.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import * as messages from './messages.ts';
import { type AlertedPipelines, namesOf, type ReadFact } from './pipeline-alerts.ts';
import { haveOpenEvents, readAlertsEndedByRuns } from './sql/read-open-alerts.ts';
import { type EventRule, readEventRules } from './sql/read-rules.ts';
import { type RunFacts, readRunFacts } from './sql/read-run-facts.ts';
import { type AlertDraft, openAlerts, resolveAlerts } from './sql/write-alerts.ts';
import { tellOpened, tellResolved } from './tell-events.ts';

/** An event that a rule may name, in words. */
interface Fact {
  readonly event: AlertEvent;
  readonly tenantId: string;
  readonly subject: string;
  readonly message: string;
  readonly pipeline: string | null;
  readonly runId: string | null;
}

type FactsOf = (event: FeedRow, run: RunFacts | undefined) => Fact | undefined;

const CANCELLED = 'run_cancelled';
const ENDED: readonly string[] = ['run.done', 'run.failed', 'run.dead'];

/** Facts of every pipeline. */
const facts: Readonly<Record<string, FactsOf>> = {
  'run.failed': failure,
  'run.dead': failure,
  'run.taken_over': (event, run) =>
    run && {
      ...about(event, 'run_taken_over', run),
      // Every takeover is told, also the second one of a run.
      subject: `${run.run_id}:${run.attempt}`,
      message: messages.runTakenOver(run.label, run.attempt_hours ?? 0),
    },
  // Where a person uploaded the file, the answer to the upload and the run's page say so.
  'run.asked': (event, run) =>
    run?.source_id == null
      ? undefined
      : {
          ...about(event, 'question_asked', run),
          // Ended by the end of its run.
          subject: `${run.run_id}:${run.attempt}`,
          message: messages.questionAsked(run.label),
        },
  'webhook.disabled': (event) => {
    const endpointId = String(event.data.endpoint_id ?? '');
    return {
      event: 'webhook_disabled',
      tenantId: event.tenant_id,
      subject: endpointId,
      message: messages.webhookDisabled(endpointId, String(event.data.reason ?? 'failing')),
      pipeline: null,
      runId: null,
    };
  },
};

export function alertConsumer(pipelines: AlertedPipelines): Pick<ConsumerOptions, 'name' | 'apply'> {
  const readers = { ...factsOf(pipelines), ...facts };
  const namedByKey = namesOf(pipelines, ({ runsBy }) => runsBy === 'unique_key');
  return {
    name: 'alerts',
    async apply(tx, events) {
      await openFor(tx, events, readers, namedByKey);
      await resolveFor(tx, events);
    },
  };
}

/** Those that pipelines read from events of their own. */
function factsOf(pipelines: AlertedPipelines): Record<string, FactsOf> {
  const own = Object.entries(pipelines).flatMap(([pipeline, alerted]) =>
    Object.entries(alerted.facts ?? {}).map(([type, read]) => [type, ofPipeline(pipeline, read)] as const),
  );
  return Object.fromEntries(own);
}

function ofPipeline(pipeline: string, read: ReadFact): FactsOf {
  return (event, run) => {
    const fact = read(event, run);
    if (fact === undefined) return undefined;
    const { tenant_id: tenantId, run_id: runId } = event;
    return { subject: runId ?? pipeline, ...fact, tenantId, pipeline, runId };
  };
}

async function openFor(
  tx: Queryable,
  events: readonly FeedRow[],
  readers: Readonly<Record<string, FactsOf>>,
  namedByKey: readonly string[],
): Promise<void> {
  const ours = events.filter(({ type }) => Object.hasOwn(readers, type));
  if (ours.length === 0) return;
  const asked = ours.flatMap((event) =>
    event.run_id === null ? [] : [{ runId: event.run_id, attempt: attemptOf(event) }],
  );
  const runs = new Map((await readRunFacts(tx, asked, namedByKey)).map((run) => [`${run.run_id} ${run.attempt}`, run]));
  const found = ours.flatMap((event) => {
    const fact = readers[event.type]?.(event, runs.get(`${event.run_id} ${attemptOf(event)}`));
    return fact === undefined ? [] : [fact];
  });
  if (found.length === 0) return;
  const rules = await readEventRules(tx, [...new Set(found.map(({ tenantId }) => tenantId))]);
  const drafts = found.flatMap((fact) => rulesFor(rules, fact).map((rule) => draftOf(rule, fact)));
  // One statement opens an alert once.
  const unique = new Map(drafts.map((draft) => [`${draft.tenantId} ${draft.rule} ${draft.subject}`, draft]));
  if (unique.size === 0) return;
  const opened = await openAlerts(tx, [...unique.values()]);
  await tellOpened(tx, opened);
}

async function resolveFor(tx: Queryable, events: readonly FeedRow[]): Promise<void> {
  const ended = events.filter(({ type, run_id: runId }) => ENDED.includes(type) && runId !== null);
  const tenants = [...new Set(ended.map(({ tenant_id: id }) => id))];
  if (tenants.length === 0 || !(await haveOpenEvents(tx, tenants))) return;
  const ids = (of: readonly FeedRow[]) => of.map(({ run_id: runId }) => runId as string);
  const over = await readAlertsEndedByRuns(tx, ids(ended), ids(ended.filter(({ type }) => type === 'run.done')));
  if (over.length === 0) return;
  const resolved = await resolveAlerts(
    tx,
    over.map(({ alert_id: id }) => id),
    over.map(({ resolution }) => resolution),
  );
  await tellResolved(tx, resolved);
}

/** What a person cancelled is no failure. */
function failure(event: FeedRow, run: RunFacts | undefined): Fact | undefined {
  if (run === undefined || run.error_code === CANCELLED) return undefined;
  const code = run.error_code ?? 'internal';
  return { ...about(event, 'run_failed', run), message: messages.runFailed(run.label, code) };
}

function about(event: FeedRow, name: AlertEvent, run: RunFacts): Omit<Fact, 'message'> {
  const { run_id: runId, pipeline } = run;
  return { event: name, tenantId: event.tenant_id, subject: runId, pipeline, runId };
}

/** The tenant's own rules, and the defaults whose name it has not taken. */
function rulesFor(rules: readonly EventRule[], fact: Fact): EventRule[] {
  const own = rules.filter(({ tenant_id: tenantId }) => tenantId === fact.tenantId);
  const taken = new Set(own.map(({ name }) => name));
  const defaults = rules.filter(({ tenant_id: tenantId, name }) => tenantId === null && !taken.has(name));
  return [...own, ...defaults].filter(
    ({ enabled, event, pipeline }) => enabled && event === fact.event && (pipeline ?? fact.pipeline) === fact.pipeline,
  );
}

function draftOf(rule: EventRule, fact: Fact): AlertDraft {
  return {
    alertId: uuidv7(),
    tenantId: fact.tenantId,
    rule: rule.name,
    kind: 'event',
    subject: fact.subject,
    severity: rule.severity,
    message: messages.cutMessage(fact.message),
    pipeline: fact.pipeline,
    runId: fact.runId,
    value: null,
    threshold: null,
    expiresMinutes: rule.window_minutes,
  };
}

// Sinks as a tenant's admin configures them, and the test message that Millrace sends while the admin waits.
import type { AlertSeverity, AlertSinkKind } from '../../contract/api/alert-metrics.ts';
import { entryOf } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Queryable } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { checkOutboundUrl } from '../guarded-request.ts';
import type { AlertSettings } from './alert-settings.ts';
import { deliver, type Verdict } from './deliver.ts';
import { testMessage } from './messages.ts';
import type { Notice, SinkTarget } from './notice.ts';
import { openTarget, type SinkBox, sealTarget } from './sink-target.ts';
import { PAGERDUTY_URL } from './sinks/pagerduty.ts';
import { deleteSink, findSink, findSinkTarget, insertSink, type SinkRow, updateSink } from './sql/sink-store.ts';

export interface AlertService {
  readonly box: SinkBox;
  readonly settings: AlertSettings;
}

export interface SinkWish {
  readonly name: string;
  readonly kind: AlertSinkKind;
  readonly url?: string | undefined;
  readonly routingKey?: string | undefined;
  readonly minSeverity: AlertSeverity;
  readonly sendResolved: boolean;
  readonly enabled: boolean;
}

export type SinkPatch = Partial<Omit<SinkWish, 'kind'>>;

export async function addSink(
  service: AlertService,
  db: Queryable,
  tenantId: string,
  wish: SinkWish,
): Promise<SinkRow> {
  const sinkId = uuidv7();
  const target = { url: wish.url ?? PAGERDUTY_URL, ...keyOf(wish.routingKey) };
  const { host } = checkOutboundUrl(target.url, service.settings.allowPrivate);
  const draft = { ...wish, sinkId, host, target: sealTarget(service.box, sinkId, target) };
  await insertSink(db, tenantId, draft).catch((error: unknown) => explainTaken(error, wish.name));
  return requireSink(db, tenantId, sinkId);
}

export async function changeSink(
  service: AlertService,
  db: Queryable,
  tenantId: string,
  sinkId: string,
  patch: SinkPatch,
): Promise<SinkRow> {
  const { kind } = await requireSink(db, tenantId, sinkId);
  if (patch.routingKey !== undefined && kind !== 'pagerduty')
    throw new MillraceError('alert_sink_field_unfit', { kind, field: 'routing_key' });
  const isMoved = patch.url !== undefined || patch.routingKey !== undefined;
  const moved = isMoved ? await moveTarget(service, db, tenantId, sinkId, patch) : undefined;
  const change = {
    name: patch.name ?? null,
    minSeverity: patch.minSeverity ?? null,
    sendResolved: patch.sendResolved ?? null,
    enabled: patch.enabled ?? null,
    target: moved?.target ?? null,
    host: moved?.host ?? null,
  };
  await updateSink(db, tenantId, sinkId, change).catch((error: unknown) => explainTaken(error, patch.name ?? ''));
  return requireSink(db, tenantId, sinkId);
}

export async function removeSink(db: Queryable, tenantId: string, sinkId: string): Promise<void> {
  if (!(await deleteSink(db, tenantId, sinkId))) throw new MillraceError('alert_sink_not_found', { sink: sinkId });
}

export async function requireSink(db: Queryable, tenantId: string, sinkId: string): Promise<SinkRow> {
  const sink = await findSink(db, tenantId, sinkId);
  if (sink === undefined) throw new MillraceError('alert_sink_not_found', { sink: sinkId });
  return sink;
}

/** Throws when the sealed address cannot be opened; everything else is an answer. */
export async function readTarget(
  service: AlertService,
  db: Queryable,
  tenantId: string,
  sinkId: string,
): Promise<SinkTarget> {
  const sealed = await findSinkTarget(db, tenantId, sinkId);
  if (sealed === undefined) throw new MillraceError('alert_sink_not_found', { sink: sinkId });
  const target = openTarget(service.box, sinkId, sealed);
  if (target === undefined) throw new MillraceError('alert_sink_unreadable', { sink: sinkId });
  return target;
}

/** To PagerDuty a trigger and its resolve, so that no incident stays behind. */
export async function sendTest(
  { settings }: AlertService,
  sink: Pick<SinkRow, 'sink_id' | 'kind'>,
  target: SinkTarget,
  tenantId: string,
): Promise<Verdict> {
  const notice = testNotice(settings, tenantId);
  const verdict = await deliver(sink.kind, target, notice, settings);
  if (verdict.kind === 'sent' && sink.kind === 'pagerduty')
    await deliver(sink.kind, target, { ...notice, what: 'resolve' }, settings);
  return verdict;
}

/** What became of a test, for a person. */
export function explainVerdict(verdict: Verdict, sinkId: string): { message: string; errorCode: string | null } {
  if (verdict.kind === 'sent' || verdict.kind === 'nothing')
    return { message: 'The message was taken.', errorCode: null };
  const status = verdict.status === null ? 'nothing' : String(verdict.status);
  const { message, next } = entryOf(verdict.code);
  const params: Record<string, string> = {
    sink: sinkId,
    status,
    host: 'of the sink',
    seconds: 'the time allowed',
    reason: 'no connection',
  };
  const filled = message.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name);
  return { message: `${filled} ${next}`, errorCode: verdict.code };
}

async function moveTarget(
  service: AlertService,
  db: Queryable,
  tenantId: string,
  sinkId: string,
  patch: SinkPatch,
): Promise<{ target: Buffer; host: string }> {
  // A whole new target need not open the old one, so that a sink can be fixed after its key was lost.
  const isWhole = patch.url !== undefined && patch.routingKey !== undefined;
  const { kind } = await requireSink(db, tenantId, sinkId);
  const before =
    isWhole || (patch.url !== undefined && kind !== 'pagerduty')
      ? undefined
      : await readTarget(service, db, tenantId, sinkId);
  const url = patch.url ?? before?.url ?? PAGERDUTY_URL;
  const target = { url, ...keyOf(patch.routingKey ?? before?.routingKey) };
  const { host } = checkOutboundUrl(url, service.settings.allowPrivate);
  return { target: sealTarget(service.box, sinkId, target), host };
}

function testNotice({ publicUrl }: AlertSettings, tenantId: string): Notice {
  return {
    what: 'test',
    round: 0,
    dedupKey: `millrace-test-${uuidv7()}`,
    alertId: null,
    tenantId,
    rule: 'test',
    severity: 'INFO',
    message: testMessage,
    pipeline: null,
    runId: null,
    link: publicUrl,
    value: null,
    threshold: null,
    occurrences: 1,
    openedAt: new Date(),
    resolvedAt: null,
  };
}

function keyOf(routingKey: string | undefined): { routingKey?: string } {
  return routingKey === undefined ? {} : { routingKey };
}

function explainTaken(error: unknown, name: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new MillraceError('alert_sink_name_taken', { name }, { cause: error });
}

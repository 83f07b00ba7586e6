// A source as a person types it, and what the server is told of it.
import type { PreviewBody, Source, SourceBody } from './list-sources.ts';

export type Kind = Source['kind'];

export interface SourceDraft {
  readonly kind: Kind;
  /** Settings of the place by their names, as typed. */
  readonly place: Readonly<Record<string, string>>;
  readonly credential: Readonly<Record<string, string>>;
  readonly name: string;
  readonly pipeline: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly titlePattern: string;
  readonly prefix: string;
  /** One pattern per line. */
  readonly include: string;
  readonly exclude: string;
  /** In MB; empty: the limit of uploads. */
  readonly maxMegabytes: string;
  readonly afterTaken: Source['after_taken'];
  readonly settleSeconds: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly jitterSeconds: string;
  readonly staleHours: string;
  readonly queueUrl: string;
}

export const blankDraft: SourceDraft = {
  kind: 's3',
  place: {},
  credential: {},
  name: '',
  pipeline: '',
  fields: {},
  titlePattern: '',
  prefix: '',
  include: '',
  exclude: '',
  maxMegabytes: '',
  afterTaken: 'leave',
  settleSeconds: '',
  cron: '0 * * * *',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
  jitterSeconds: '0',
  staleHours: '24',
  queueUrl: '',
};

const MEGABYTE = 1_000_000;

export function draftOf(source: Source): SourceDraft {
  const { kind: _, ...place } = source.place;
  return {
    kind: source.kind,
    place: Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])),
    credential: {},
    name: source.name,
    pipeline: source.pipeline,
    fields: source.fields,
    titlePattern: source.title_pattern ?? '',
    prefix: source.prefix,
    include: source.include.join('\n'),
    exclude: source.exclude.join('\n'),
    maxMegabytes: source.max_bytes === null ? '' : String(source.max_bytes / MEGABYTE),
    afterTaken: source.after_taken,
    settleSeconds: String(source.settle_seconds),
    cron: source.cron ?? '',
    timeZone: source.time_zone,
    jitterSeconds: String(source.jitter_seconds),
    staleHours: String(source.stale_after_seconds / 3_600),
    queueUrl: source.queue_url ?? '',
  };
}

/** The place alone: what a test of the connection needs. */
export function placeBody(draft: SourceDraft): PreviewBody {
  return { place: placeOf(draft), credential: credentialOf(draft), prefix: draft.prefix } as PreviewBody;
}

export function bodyOf(draft: SourceDraft): SourceBody {
  const { kind } = draft;
  return {
    name: draft.name.trim(),
    pipeline: draft.pipeline,
    place: placeOf(draft),
    credential: credentialOf(draft),
    fields: filled(draft.fields),
    title_pattern: draft.titlePattern.trim() || null,
    prefix: draft.prefix,
    include: lines(draft.include),
    exclude: lines(draft.exclude),
    max_bytes: draft.maxMegabytes === '' ? null : Math.round(Number(draft.maxMegabytes) * MEGABYTE),
    after_taken: draft.afterTaken,
    ...(draft.settleSeconds === '' ? {} : { settle_seconds: Number(draft.settleSeconds) }),
    cron: draft.cron.trim() || null,
    time_zone: draft.timeZone.trim() || 'UTC',
    jitter_seconds: Number(draft.jitterSeconds || '0'),
    stale_after_seconds: Math.round(Number(draft.staleHours || '24') * 3_600),
    queue_url: kind === 's3' ? draft.queueUrl.trim() || null : null,
  } as SourceBody;
}

function placeOf({ kind, place }: SourceDraft): object {
  const { port, path_style: pathStyle, ...rest } = filled(place);
  return {
    kind,
    ...rest,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(pathStyle === undefined ? {} : { path_style: pathStyle === 'true' }),
  };
}

/** Nothing typed: none, or the stored one where there is one. */
function credentialOf({ credential }: SourceDraft): Readonly<Record<string, string>> | null {
  const given = filled(credential);
  return Object.keys(given).length === 0 ? null : given;
}

function filled(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''));
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

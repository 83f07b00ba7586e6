// What Airbyte answers, as far as we read it. Unknown fields are left alone: the API grows.
import { z } from 'zod';

const int64 = z.union([z.string().regex(/^\d{1,19}$/), z.int().min(0).transform(String)]);
const count = z
  .union([z.number().min(0), z.string().regex(/^\d{1,19}$/)])
  .transform((value) => Math.min(Number(value), Number.MAX_SAFE_INTEGER));

const jobStates = ['pending', 'queued', 'running', 'incomplete', 'failed', 'succeeded', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

export const AirbyteJob = z.object({
  jobId: int64,
  status: z.enum(jobStates),
  jobType: z.string(),
  /** When the job was created, by Airbyte's clock. */
  startTime: z.string(),
  connectionId: z.string(),
  lastUpdatedAt: z.string().nullish(),
  /** ISO 8601; absent while pending. */
  duration: z.string().nullish(),
  bytesSynced: count.nullish(),
  rowsSynced: count.nullish(),
});
export type AirbyteJob = z.output<typeof AirbyteJob>;

export const JobList = z.object({ data: z.array(AirbyteJob) });

export const AirbyteConnection = z.object({
  connectionId: z.string(),
  name: z.string(),
  sourceId: z.string().nullish(),
  destinationId: z.string().nullish(),
  workspaceId: z.string(),
  status: z.string(),
  tags: z.array(z.object({ name: z.string() })).nullish(),
});
export type AirbyteConnection = z.output<typeof AirbyteConnection>;

export const ConnectionList = z.object({
  data: z.array(AirbyteConnection),
  next: z.string().nullish(),
});

/** The configuration that comes with it holds the customer's settings: it is not read. */
export const AirbyteSource = z.object({ sourceType: z.string() });
export type AirbyteSource = z.output<typeof AirbyteSource>;

export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().min(0).nullish(),
});

export const Problem = z.object({
  type: z.string().nullish(),
  title: z.string().nullish(),
  detail: z.string().nullish(),
  message: z.string().nullish(),
  data: z.object({ message: z.string().nullish() }).nullish(),
});

/** Nothing more will happen to the job. `incomplete` is not an end: an attempt failed and more may follow. */
export function hasEnded(state: JobState): boolean {
  return state === 'failed' || state === 'succeeded' || state === 'cancelled';
}

const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Seconds of an ISO 8601 duration; null when there is none or it cannot be read. */
export function durationSeconds(text: string | null | undefined): number | null {
  const match = text ? duration.exec(text) : null;
  if (!match) return null;
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
}

/** Ids are compared as numbers of any size. */
export function isNewer(jobId: string, than: string): boolean {
  return BigInt(jobId) > BigInt(than);
}

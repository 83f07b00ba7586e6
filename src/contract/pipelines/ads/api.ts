// Reading back what the ads pipeline stored: dimensions, daily numbers, totals, and the provenance of one number.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, json } from '../../api/route.ts';
import { Platform } from '../../api/uploads.ts';
import { Count, Day, Decimal, Id, list, Page, Time } from '../../api/values.ts';

const dimension = {
  id: Id,
  client_id: Id.nullable(),
  platform: z.string(),
  external_id: z.string(),
  name: z.string().nullable(),
  inferred: z.boolean().describe('true: known only because a row of a lower level named it.'),
  run_id: Id.nullable(),
  updated_at: Time,
};

export const Campaign = z.object(dimension);
export const AdSet = z.object({ ...dimension, campaign_external_id: z.string().nullable() });
export const Ad = z.object({
  ...dimension,
  campaign_external_id: z.string().nullable(),
  ad_set_external_id: z.string().nullable(),
});

/** Measures by name: spend, impressions, clicks, conversions … as exact decimals. */
const Measures = z.record(z.string(), Decimal.nullable());

/** Of what a report tells numbers: a whole level, a list of a part of the day, or several days as one. */
const GrainName = z.enum([
  'account',
  'campaign',
  'ad_set',
  'ad',
  'search_term',
  'keyword',
  'placement',
  'audience',
  'period',
]);

export const DailyMetric = z.object({
  id: z.string(),
  client_id: Id.nullable(),
  platform: z.string(),
  metric_date: Day,
  period_end: Day.nullable().describe('The last day, when the number is one of several days.'),
  grain: z.string().describe('What the report was told by: ad, campaign, search_term …'),
  counts: z.boolean().describe('false: a fuller grain of the same day is known, and totals are built from that.'),
  campaign_external_id: z.string().nullable(),
  campaign_name: z.string().nullable(),
  ad_set_external_id: z.string().nullable(),
  ad_set_name: z.string().nullable(),
  ad_external_id: z.string().nullable(),
  ad_name: z.string().nullable(),
  currency: z.string().nullable(),
  measures: Measures,
  reported_at: Time.nullable(),
  run_id: Id.nullable(),
  line: Count.nullable(),
});

export const Total = z.object({
  key: z.string().describe('The day, or the external id of the level asked for.'),
  name: z.string().nullable(),
  currency: z.string().nullable(),
  measures: Measures,
  rows: Count,
  grains: z.array(z.string()).describe('The grains the sums are from: the fullest ones that cover the day.'),
  is_part: z.boolean().describe('true: some of it is from a report that lists only a part, such as search terms.'),
});

/** Where one stored number came from, and what it was before. */
export const Provenance = z.object({
  metric: DailyMetric,
  measure: z.string(),
  value: Decimal.nullable(),
  origin: z
    .object({
      run_id: Id,
      filename: z.string().nullable(),
      sha256: z.string().nullable(),
      line: Count.nullable(),
      byte_offset: z.number().nullable(),
      column: z.string().nullable(),
      mapping: z.object({ mapping_id: Id.nullable(), name: z.string().nullable(), version: Count }).nullable(),
      uploaded_by: z.string().nullable(),
      uploaded_at: Time,
    })
    .nullable(),
  history: z.array(
    z.object({ value: Decimal.nullable(), reported_at: Time.nullable(), run_id: Id.nullable(), recorded_at: Time }),
  ),
});

const readers: readonly Role[] = ['admin', 'user', 'service'];
const Narrow = z.object({
  client_id: Id.optional(),
  platform: Platform.optional(),
  campaign: z.string().max(200).optional().describe('External id of a campaign.'),
  ad_set: z.string().max(200).optional().describe('External id of an ad set.'),
  ad: z.string().max(200).optional().describe('External id of an ad.'),
  run_id: Id.optional(),
});
const Between = z.object({
  grain: GrainName.optional().describe('Only numbers of reports of this grain, whether they count or not.'),
  since: Day.optional(),
  until: Day.optional().describe('The last day, included.'),
});
const access = allow(readers, 'data:read');
const provenance = {
  tag: 'Ads',
  access,
  query: z.object({ metric_id: z.string().max(64), measure: z.string().max(60).default('spend') }),
  answer: json(Provenance),
  errors: ['metric_not_found'],
} as const;
const dimensionQuery = Page.extend(Narrow.shape).extend({ q: z.string().max(200).optional() });

export const adsRoutes = defineRoutes({
  'ads.campaigns': { tag: 'Ads', summary: 'Campaigns', access, query: dimensionQuery, answer: json(list(Campaign)) },
  'ads.ad-sets': { tag: 'Ads', summary: 'Ad sets', access, query: dimensionQuery, answer: json(list(AdSet)) },
  'ads.ads': { tag: 'Ads', summary: 'Ads', access, query: dimensionQuery, answer: json(list(Ad)) },
  'ads.daily-metrics': {
    tag: 'Ads',
    summary: 'Daily numbers, newest day first',
    access,
    query: Page.extend(Narrow.shape).extend(Between.shape),
    answer: json(list(DailyMetric)),
  },
  'ads.totals': {
    tag: 'Ads',
    summary: 'Totals by day, campaign, ad set or ad',
    access,
    query: Narrow.extend(Between.shape).extend({ by: z.enum(['day', 'campaign', 'ad_set', 'ad']).default('day') }),
    answer: json(z.object({ data: z.array(Total) })),
  },
  'ads.provenance': {
    ...provenance,
    summary: 'Where one number came from: file, line, mapping, person, and its earlier values',
  },
  'ads.passport': { ...provenance, summary: 'The same as /v1/ads/provenance, for programs that know this path' },
});

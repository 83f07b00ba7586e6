// Statements of ads: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import type { Seed, World } from '../../../test/plans/world.ts';
import type { Queryable } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { PlannedStatement } from '../../platform/planner-settings.ts';
import {
  chooseWinners,
  insertToldDays,
  listContestedDays,
  listOutrankedDays,
  listStagedDays,
  listUntoldDays,
} from './sql/daily-grains.ts';
import { deleteResolutions } from './sql/delete-resolutions.ts';
import { foldDuplicates, selectDuplicates } from './sql/fold-duplicates.ts';
import { hasClient } from './sql/has-client.ts';
import { insertStagingRows } from './sql/insert-staging-rows.ts';
import { lookUps } from './sql/judge-metrics.ts';
import {
  listLinks,
  matchStagedNames,
  matchStoredNames,
  rekeyStored,
  relabelStaged,
  rememberLinks,
} from './sql/link-names.ts';
import { listDimensions } from './sql/list-dimensions.ts';
import { hasStagedRows, listFileRows } from './sql/list-file-rows.ts';
import { dimensions, type PromotionScope, resolveDimension, upsertDimension } from './sql/promote-dimensions.ts';
import { promoteMetrics } from './sql/promote-metrics.ts';
import { findMetric, findOrigin, listHistory, listMetrics, type MetricFilter, sumMetrics } from './sql/read-metrics.ts';
import { recountMetrics, selectRefusedOffsets } from './sql/recount-metrics.ts';
import { selectMergedLines, selectStagedRow } from './sql/select-staged-row.ts';
import { sumValidRows } from './sql/sum-valid-rows.ts';
import { surveyMetrics } from './sql/survey-metrics.ts';
import { listOwnedDays, removeUnusedDimensions, takeBackNumbers } from './sql/take-back.ts';
import { fixPlan } from './sql/tune-transaction.ts';
import { countOwnedNumbers, findUndoOf, insertUndoneUpload } from './sql/undone-uploads.ts';
import {
  insertUploadReading,
  selectChoices,
  selectOverrides,
  selectUploadReading,
  updateUploadCounts,
  upsertChoices,
  upsertOverrides,
} from './sql/upload-readings.ts';

/** A number of an ad, an ad set or a campaign, on one of twenty days: the more rows, the more of each day. */
const key = {
  metric_date: `date '2024-01-01' + i % 20`,
  campaign_external_id: `'c' || i`,
  ad_set_external_id: `case when i % 5 = 0 or (i / 20) % 3 < 2 then 's' || i end`,
  ad_external_id: `case when i % 5 = 0 or (i / 20) % 3 = 0 then 'a' || i end`,
};
/** Every fifth row of a file names a campaign, an ad set or an ad. */
const isNumber = 'i % 5 > 0';
const dimension = (letter: string) => ({
  external_id: `'${letter}' || i`,
  platform: `'meta'`,
  name: `'name ' || i`,
  id_derived: 'i % 10 = 0',
});

const seeds: Seed[] = [
  {
    table: 'public.staging_rows',
    runsOf: 'ads',
    columns: {
      ...key,
      metric_date: `case when ${isNumber} then date '2024-01-01' + i % 20 end`,
      row_index: 'i',
      entity_type: `case when ${isNumber} then 'daily_metric' else (array['campaign', 'ad_set', 'ad'])[(i / 5) % 3 + 1] end`,
      validation_status: `case when i % 50 = 1 then 'invalid' else 'valid' end`,
      natural_key_hash: `case when i % 10 in (2, 4) then 'twice ' || i / 10 else 'once ' || i end`,
      raw_data: `jsonb_build_object('name', 'name ' || i, 'inferred', false, 'id_derived', i % 2 = 0)`,
      spend: '1',
      impressions: '100',
      folded: `case when i % 100 = 12 then 'merged' end`,
      created_at: 'plan.at(i)',
    },
  },
  {
    table: 'public.daily_metric_rows',
    runsOf: 'ads',
    columns: { ...key, platform: `'meta'`, spend: '1', impressions: '100', reported_at: `timestamptz '2024-02-01'` },
  },
  { table: 'public.daily_metrics_history', runsOf: 'ads', columns: { metric_id: 'i / 2' } },
  {
    table: 'public.daily_metric_grains',
    columns: { platform: `'meta'`, metric_date: `date '2000-01-01' + i`, grain: `'ad'` },
  },
  {
    table: 'public.staging_id_resolution',
    runsOf: 'ads',
    columns: {
      entity_type: `(array['campaign', 'ad_set', 'ad'])[i % 3 + 1]`,
      external_id: `(array['c', 's', 'a'])[i % 3 + 1] || i`,
    },
  },
  { table: 'public.campaigns', columns: dimension('c') },
  { table: 'public.ad_sets', columns: { ...dimension('s'), campaign_external_id: `'c' || i` } },
  {
    table: 'public.ads',
    columns: { ...dimension('a'), campaign_external_id: `'c' || i`, ad_set_external_id: `'s' || i` },
  },
  {
    table: 'public.ads_links',
    columns: { platform: `'meta'`, entity: `'campaign'`, made_id: `'m' || i`, external_id: `'c' || i` },
  },
];

const small = (w: World) => w.run('ads', 'small');
const big = (w: World) => w.run('ads', 'big');
const scope = (w: World, uploadId = small(w)): PromotionScope => ({
  uploadId,
  workspaceId: w.ours,
  clientId: null,
  platform: 'meta',
  reportedAt: '2024-03-01T00:00:00Z',
  part: null,
  rereadOf: null,
});
/** Numbers of ads, of which the first look-up finds none: whole keys are looked up in two ways. */
const unknown = (w: World, clientId: string | null): PromotionScope => ({
  ...scope(w, big(w)),
  clientId,
  platform: 'google',
});
const days = ['2024-01-02', '2024-01-03'];
/** Of the big file. */
const range = { from: 41, to: 141 };
const filter: MetricFilter = {
  clientId: null,
  platform: null,
  campaign: null,
  adSet: null,
  ad: null,
  runId: null,
  since: null,
  until: null,
  grain: null,
};
const noDimension = {
  clientId: null,
  platform: null,
  campaign: null,
  adSet: null,
  runId: null,
  search: null,
  after: null,
};
const fileRows = (w: World) => ({
  workspaceId: w.ours,
  runId: big(w),
  platform: 'meta',
  clientId: null,
  outcomes: null,
  afterRow: 41,
  limit: 20,
  isHeldBack: true,
});

const namesOfFile = { readsAll: 'the names of one file: hashed once for each batch, which takes thousands of rows' };
const noted = { readsAll: 'what was noted of one run, batch by batch, and its refused rows' };
const ofFile = { readsAll: 'all rows of one file' };
const ofDays = { readsAll: 'all numbers of the days that are asked for' };
/** The next page may begin anywhere within a day: the key's index leads to the day, its ids are put in order. */
const ofOneDay = { readsAll: 'all numbers of a platform on the newest day, one of twenty', share: 1 / 20 };
const ofPlatform = { readsAll: 'all numbers of a platform: names are linked once' };
const ofWorkspace = { readsAll: 'all numbers of a workspace: an upload is taken back once' };

const parse = (call: PlanCase['call'], more = {}) => byStage('ads_parse', call, more);
const promote = (call: PlanCase['call'], more = {}) => byStage('ads_promote', call, more);
/** As promotion does: the plan is fixed first. */
const promoteFixed = (call: (...given: Parameters<PlanCase['call']>) => Promise<unknown>, more = {}) =>
  byStage('ads_promote', (db, w) => fixPlan(db).then(() => call(db, w)), more);

/** What the function runs, under its settings, so that its joins are counted too: from outside only what it reads of tables is seen. */
async function chooseWinnersAsStatement(db: Queryable, w: World): Promise<void> {
  const { workspaceId, clientId, platform } = scope(w);
  const values = [workspaceId, clientId, platform, days];
  const { rows } = await db.query<{ source: string; settings: [string, string][] }>(
    `select prosrc as source, array(select string_to_array(each, '=') from unnest(proconfig) as each where each not like 'search_path%') as settings
     from pg_proc where proname = 'choose_daily_winners'`,
  );
  const { source = '', settings = [] } = rows[0] ?? {};
  const parameters = ['of_workspace::uuid', 'of_client::uuid', 'of_platform::text', 'on_days::date[]'];
  const text = parameters.reduce((body, each, i) => {
    const [name = '', type] = each.split('::');
    return body.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `$${i + 1}::${type}`);
  }, source);
  const statement: PlannedStatement = {
    name: 'ads-choose-winners-body',
    text,
    values,
    settings: Object.fromEntries(settings),
  };
  await db.query(statement);
}

const staging: PlanCase[] = [
  parse((db, w) =>
    insertStagingRows(db, { uploadId: small(w), workspaceId: w.ours, isResumed: true }, {
      metrics: null,
      dimensions: [[900], ['ad'], ['hash'], ['{}'], [1], [1], ['c'], ['s'], ['a']],
      invalid: [[901], ['hash'], ['{}'], ['[]'], [1], [1]],
    } as never),
  ),
  parse((db, w) => foldDuplicates(db, small(w), true)),
  parse((db, w) => foldDuplicates(db, big(w), true), ofFile),
  parse((db, w) => selectDuplicates(db, small(w), 0)),
  parse((db, w) => selectDuplicates(db, big(w), 41), ofFile),
  parse((db, w) => sumValidRows(db, small(w))),
  parse((db, w) => sumValidRows(db, big(w)), ofFile),
  parse((db, w) =>
    insertUploadReading(db, {
      uploadId: small(w),
      workspaceId: w.ours,
      reading: { columns: [] },
      mapping: { columns: [], constants: {} },
    } as never),
  ),
  parse((db, w) => updateUploadCounts(db, { uploadId: small(w), counts: {} as never, furniture: [] })),
  request((db, w) => selectUploadReading(db, small(w))),
  parse((db, w) => selectOverrides(db, small(w))),
  parse((db, w) => selectChoices(db, small(w))),
  request((db, w) => upsertChoices(db, { uploadId: small(w), workspaceId: w.ours, choices: {} as never })),
  request((db, w) => upsertOverrides(db, { uploadId: small(w), workspaceId: w.ours, overrides: {} as never })),
  byStage('ads_cleanup', (db, w) => deleteResolutions(db, small(w))),
];

const promoting: PlanCase[] = [
  promote((db, w) => listStagedDays(db, small(w))),
  promote((db, w) => listStagedDays(db, big(w)), ofFile),
  promote((db, w) => listUntoldDays(db, scope(w), days, 'ad')),
  promote((db, w) => insertToldDays(db, scope(w), days, 'ad')),
  promote((db, w) => listContestedDays(db, scope(w), days)),
  promote((db, w) => chooseWinners(db, scope(w), days), ofDays),
  promote(chooseWinnersAsStatement, ofDays),
  promote((db, w) => listOutrankedDays(db, scope(w), days, 3), ofDays),
  ...lookUps.flatMap((lookUp) => [
    promoteFixed((db, w) => surveyMetrics(db, scope(w, big(w)), range, lookUp)),
    promoteFixed(
      (db, w) =>
        promoteMetrics(
          db,
          lookUp === 'any' ? scope(w, big(w)) : unknown(w, lookUp === 'of-none' ? null : uuidv7()),
          range,
          {
            confirms: true,
            trustsHints: false,
            lookUp,
            contested: [],
          },
        ),
      namesOfFile,
    ),
  ]),
  ...dimensions.flatMap((each) => [
    promote((db, w) => upsertDimension(db, each, scope(w))),
    promote((db, w) => upsertDimension(db, each, scope(w, big(w))), ofFile),
    promote((db, w) => resolveDimension(db, each, scope(w))),
    promote((db, w) => matchStagedNames(db, each, scope(w)), ofPlatform),
    promote((db, w) => matchStoredNames(db, each, scope(w)), ofPlatform),
    promote((db, w) => relabelStaged(db, each, scope(w), [{ madeId: 'c1', externalId: 'c2' }])),
    promote((db, w) => rekeyStored(db, each, scope(w), { madeId: 'c1', externalId: 'c2' }), ofPlatform),
  ]),
  promote((db, w) => rememberLinks(db, 'campaign', scope(w), [{ madeId: 'm1', externalId: 'c2' }]), {
    readsAll: 'the links of a platform',
  }),
  promote((db, w) => listLinks(db, scope(w)), { readsAll: 'the links of a platform' }),
  promote((db, w) => selectStagedRow(db, big(w), 42)),
  promote((db, w) => selectMergedLines(db, small(w), 2)),
  promote((db, w) => listOwnedDays(db, scope(w), small(w)), ofWorkspace),
  promote((db, w) => takeBackNumbers(db, scope(w), small(w), days), ofDays),
  promote((db, w) => removeUnusedDimensions(db, scope(w), small(w)), ofWorkspace),
  promote((db, w) => insertUndoneUpload(db, { workspaceId: w.ours, uploadId: small(w), by: uuidv7() })),
];

const reading: PlanCase[] = [
  request((db, w) => hasClient(db, w.ours, w.id('client_id', 41))),
  ...(['campaigns', 'ad_sets', 'ads'] as const).map((level) =>
    request((db, w) => listDimensions(db, level, w.ours, noDimension, 20)),
  ),
  request((db, w) => listFileRows(db, fileRows(w)), noted),
  request((db, w) => listFileRows(db, { ...fileRows(w), outcomes: ['rejected'] }), noted),
  request((db, w) => listFileRows(db, { ...fileRows(w), outcomes: ['merged'] }), ofFile),
  request((db, w) => hasStagedRows(db, w.ours, small(w))),
  request((db, w) => hasStagedRows(db, w.ours, uuidv7())),
  request((db, w) => listMetrics(db, w.ours, filter, null, 20)),
  request((db, w) => listMetrics(db, w.ours, { ...filter, platform: 'meta', since: '2024-01-02' }, null, 20), ofOneDay),
  ...(['day', 'campaign', 'ad_set', 'ad'] as const).map((by) =>
    request((db, w) => sumMetrics(db, w.ours, by, { ...filter, since: '2024-01-02', until: '2024-01-03' }), ofDays),
  ),
  request((db, w) => findMetric(db, w.ours, '2024-01-02', '41')),
  request((db, w) => listHistory(db, w.ours, '20')),
  request((db, w) => findOrigin(db, w.ours, small(w))),
  request((db, w) => findUndoOf(db, w.ours, small(w))),
  request(
    (db, w) => countOwnedNumbers(db, { workspaceId: w.ours, uploadId: small(w), reportedAt: '2024-03-01T00:00:00Z' }),
    ofWorkspace,
  ),
  request((db, w) => selectRefusedOffsets(db, w.ours, small(w))),
  ...[
    { campaign: 'c60', adSet: 's60', ad: 'a60', date: '2024-01-01' },
    { campaign: 'c81', adSet: 's81', ad: null, date: '2024-01-02' },
    { campaign: 'c101', adSet: null, ad: null, date: '2024-01-02' },
    { campaign: null, adSet: null, ad: null, date: '2024-01-02' },
  ].map(({ campaign, adSet, ad, date }) =>
    request((db, w) =>
      recountMetrics(
        db,
        { workspaceId: w.ours, clientId: null, platform: 'meta', runId: small(w), part: null },
        {
          date: [date],
          periodEnd: [null],
          campaign: [campaign],
          adSet: [adSet],
          ad: [ad],
          currency: [null],
          timeZone: [null],
          measures: Array.from({ length: 8 }, () => [null]),
        },
      ),
    ),
  ),
];

testPlans({
  folders: ['src/pipelines/ads'],
  cases: [...staging, ...promoting, ...reading],
  seeds,
  exempt: {
    'ads-share-grains': 'takes a lock',
    'ads-lock-grains': 'takes a lock',
    'ads-note-outcomes': 'inserts what a survey found',
    '*-again': 'the same inserts as those with a case, after a resumption',
  },
});

// The validation rules of an ads row, as a table: code, column, test, message, severity. An error refuses the row; a warning is
// counted. What a cell as such cannot be (a number, a date, an id) is found while it is read and needs no rule here.

import { tabularErrors } from '../../contract/errors/tabular-errors.ts';
import { adsErrors } from '../../contract/pipelines/ads/errors.ts';
import type { Rule } from '../../tabular/validation/rules.ts';

const MAX_ID_LENGTH = 500;
const MAX_WHOLE = Number.MAX_SAFE_INTEGER;
const MAX_MONEY_DIGITS = 15;

const notNegative = (value: string) => value.charCodeAt(0) !== 45;
const isShort = (value: string) => value.length <= MAX_ID_LENGTH;
const isSafeWhole = (value: string) => value.length < 16 || Number(value) <= MAX_WHOLE;
const fitsMoney = (value: string) =>
  value.length <= MAX_MONEY_DIGITS || (value.split('.')[0] ?? '').length <= MAX_MONEY_DIGITS;

const { number_negative, number_too_large } = tabularErrors;
const { id_too_long, currency_malformed, spend_negative, clicks_exceed_impressions } = adsErrors;

const whole = (column: string): Rule[] => [
  { code: 'number_negative', column, test: notNegative, message: number_negative.message, severity: 'error' },
  { code: 'number_too_large', column, test: isSafeWhole, message: number_too_large.message, severity: 'error' },
];
const idLength = (column: string): Rule => ({
  code: 'id_too_long',
  column,
  test: isShort,
  message: id_too_long.message.replace('{column}', column).replace('{limit}', String(MAX_ID_LENGTH)),
  severity: 'error',
});

export const adsRules: readonly Rule[] = [
  idLength('campaign_id'),
  idLength('ad_set_id'),
  idLength('ad_id'),
  ...whole('impressions'),
  ...whole('clicks'),
  ...whole('link_clicks'),
  ...whole('reach'),
  ...whole('video_views'),
  { code: 'number_too_large', column: 'spend', test: fitsMoney, message: number_too_large.message, severity: 'error' },
  {
    code: 'number_negative',
    column: 'conversions',
    test: notNegative,
    message: number_negative.message,
    severity: 'error',
  },
  {
    code: 'currency_malformed',
    column: 'currency',
    test: (value) => /^[A-Z]{3}$/.test(value),
    message: currency_malformed.message,
    severity: 'error',
  },
  { code: 'spend_negative', column: 'spend', test: notNegative, message: spend_negative.message, severity: 'warning' },
  {
    code: 'clicks_exceed_impressions',
    column: 'clicks',
    test: (clicks, row) => row.impressions == null || Number(clicks) <= Number(row.impressions),
    message: clicks_exceed_impressions.message,
    severity: 'warning',
  },
];

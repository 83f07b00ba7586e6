// The validation rules of a judgment row, as a table. An error refuses the row; a warning is counted. What a cell as such cannot be
// (a number, a date) is found while it is read and needs no rule here.

import { tabularErrors } from '../../contract/errors/tabular-errors.ts';
import { judgmentsErrors } from '../../contract/pipelines/judgments/errors.ts';
import type { Rule } from '../../tabular/validation/rules.ts';
import { emailKey, phoneKey } from './plaintiff-keys.ts';

const MAX_CASE_NUMBER = 100;
const MAX_NAME = 1_000;
const MAX_TEXT = 2_000;
/** A trillion. */
const MAX_AMOUNT_DIGITS = 12;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const upTo = (limit: number) => (value: string) => value.length <= limit;
const limited = (message: string, limit: number) => message.replace('{limit}', String(limit));
/** A court ahead of us may be in tomorrow already. Days are compared as text; what tomorrow is, is asked once a minute. */
let tomorrow = { day: '', until: 0 };
const isPast = (value: string) => {
  const now = Date.now();
  if (now >= tomorrow.until || now < tomorrow.until - MINUTE_MS)
    tomorrow = { day: new Date(now + DAY_MS).toISOString().slice(0, 10), until: now + MINUTE_MS };
  return value <= tomorrow.day;
};

/** Of a canonical decimal. */
const wholeDigits = (value: string) => {
  const point = value.indexOf('.');
  return (point === -1 ? value.length : point) - (value.charCodeAt(0) === 45 ? 1 : 0);
};

const errors = judgmentsErrors;

const nameLength = (column: string): Rule => ({
  code: 'party_name_too_long',
  column,
  test: upTo(MAX_NAME),
  message: limited(errors.party_name_too_long.message, MAX_NAME),
  severity: 'error',
});
const textLength = (column: string): Rule => ({
  code: 'text_too_long',
  column,
  test: upTo(MAX_TEXT),
  message: limited(errors.text_too_long.message, MAX_TEXT),
  severity: 'error',
});

export const judgmentRules: readonly Rule[] = [
  {
    code: 'case_number_missing',
    column: 'case_number',
    test: (value) => value !== '',
    message: errors.case_number_missing.message,
    severity: 'error',
    onEmpty: true,
  },
  {
    code: 'case_number_too_long',
    column: 'case_number',
    test: upTo(MAX_CASE_NUMBER),
    message: limited(errors.case_number_too_long.message, MAX_CASE_NUMBER),
    severity: 'error',
  },
  nameLength('plaintiff_name'),
  nameLength('defendant_name'),
  textLength('county'),
  textLength('address'),
  textLength('email'),
  textLength('phone'),
  {
    code: 'number_negative',
    column: 'judgment_amount',
    test: (value) => value.charCodeAt(0) !== 45,
    message: tabularErrors.number_negative.message,
    severity: 'error',
  },
  {
    code: 'amount_absurd',
    column: 'judgment_amount',
    test: (value) => wholeDigits(value) <= MAX_AMOUNT_DIGITS,
    message: errors.amount_absurd.message,
    severity: 'error',
  },
  {
    code: 'filing_date_in_future',
    column: 'filing_date',
    test: isPast,
    message: errors.filing_date_in_future.message,
    severity: 'error',
  },
  {
    code: 'plaintiff_missing',
    column: 'plaintiff_name',
    test: (value, { email, phone }) =>
      value !== '' || (email != null && emailKey(email) !== null) || (phone != null && phoneKey(phone) !== null),
    message: errors.plaintiff_missing.message,
    severity: 'warning',
    onEmpty: true,
  },
  {
    code: 'phone_unusable',
    column: 'phone',
    test: (value) => phoneKey(value) !== null,
    message: errors.phone_unusable.message,
    severity: 'warning',
  },
  {
    code: 'email_unusable',
    column: 'email',
    test: (value) => emailKey(value) !== null,
    message: errors.email_unusable.message,
    severity: 'warning',
  },
];

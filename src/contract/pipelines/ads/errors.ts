// Errors of the ads pipeline. The first group ends an upload, the second names what is wrong with one row.
import { defineErrors } from '../../errors/entry.ts';

export const adsErrors = defineErrors({
  platform_required: {
    kind: 'input',
    status: 422,
    message: 'The upload does not say which platform the file comes from.',
    next: 'Send platform=meta, google or tiktok.',
  },
  wrong_platform: {
    kind: 'input',
    status: 422,
    message: 'The file was uploaded as {given}, but its columns are those of {found} ({headers}).',
    next: 'Upload it again with platform={found}.',
  },
  mapping_incomplete: {
    kind: 'input',
    status: 422,
    message: 'No column of the file is mapped to: {missing}.',
    next: 'Map the columns of this upload and retry it; the next file with the same header needs no mapping.',
  },
  report_without_days: {
    kind: 'input',
    status: 422,
    message: 'The report covers {from} to {to} as one and has no days.',
    next: 'Export it by day. If you can only get the range, read it again as one period: its numbers are stored with both dates and count for no single day.',
  },
  name_ambiguous: {
    kind: 'input',
    status: 422,
    message: 'A name without an id could be several things: {names}.',
    next: 'Export the report with ids. If the name means something else, read it again and keep the names apart.',
  },
  already_reread: {
    kind: 'conflict',
    status: 409,
    message: 'Upload {upload} was already read again, as run {run}.',
    next: 'To read the file once more, read run {run} again.',
  },
  upload_unfinished: {
    kind: 'conflict',
    status: 409,
    message: 'Upload {upload} is {status} and cannot be read again yet.',
    next: 'Wait until it has ended, or cancel it.',
  },
  below_threshold: {
    kind: 'input',
    status: 422,
    message: 'Only {valid} of {total} rows are valid ({percent} %), fewer than the 90 % that are needed.',
    next: 'Correct the rejected rows, or promote the valid rows alone (retry with force_partial).',
  },
  nothing_promoted: {
    kind: 'input',
    status: 422,
    message: 'None of the {total} rows could be promoted.',
    next: 'Look at the rejected rows: each says why.',
  },
  nothing_newer: {
    kind: 'input',
    status: 422,
    message: 'The {total} rows that could be stored are older than the stored numbers; Millrace changed nothing.',
    next: 'If these numbers are the right ones, upload the file again with a later reported_at.',
  },
  rows_failed: {
    kind: 'input',
    status: 422,
    message: '{failed} of {total} rows failed: {why}.',
    next: 'Correct the rejected rows and replay them.',
  },
  upload_file_gone: {
    kind: 'input',
    status: 422,
    message: 'The file of upload {run} is not stored any more.',
    next: 'Upload the file again.',
  },
  source_needs_rows: {
    kind: 'input',
    status: 422,
    message: 'An upload with JSON rows must have source "api" or "webhook".',
    next: 'Set source, or send a file.',
  },
  replay_rows_gone: {
    kind: 'input',
    status: 422,
    message: 'The corrected rows of run {run} cannot be read any more.',
    next: 'Upload the corrected rows as a file.',
  },

  parse_error: {
    kind: 'input',
    status: 422,
    message: 'The row cannot be read: {reason}',
    next: 'Correct the row and replay it.',
  },
  day_missing: {
    kind: 'input',
    status: 422,
    message: 'The row has no day.',
    next: 'Fill the day of the row, or export the report by day.',
  },
  row_not_daily: {
    kind: 'input',
    status: 422,
    message: 'The row covers {value}, which is not a single day.',
    next: 'Export the report again, broken down by day.',
  },
  identity_missing: {
    kind: 'input',
    status: 422,
    message: 'The row names no {level}, although the file is at that level.',
    next: 'Fill in the id or the name.',
  },
  id_too_long: {
    kind: 'input',
    status: 422,
    message: 'The id in "{column}" has more than {limit} characters.',
    next: 'Check that the column is mapped to the right field.',
  },
  currency_malformed: {
    kind: 'input',
    status: 422,
    message: '"{value}" is not a currency code.',
    next: 'Use three letters, such as USD.',
  },
  measures_missing: {
    kind: 'input',
    status: 422,
    message: 'The row holds no number at all.',
    next: 'Fill in the spend, the impressions or the clicks.',
  },
  duplicate_key: {
    kind: 'input',
    status: 422,
    message: 'Line {line} has the same day and ids with other numbers.',
    next: 'Keep one of the two rows, or export the column that tells them apart.',
  },
  promotion_failed: {
    kind: 'input',
    status: 422,
    message: 'The database refused the row: {reason}',
    next: 'Correct the row and replay it.',
  },
  day_in_future: {
    kind: 'input',
    status: 422,
    message: 'The day {value} lies after the day the numbers were reported.',
    next: 'Nothing to do if the time zone of the account is ahead; otherwise check the order of day and month.',
  },
  spend_negative: {
    kind: 'input',
    status: 422,
    message: 'The spend {value} is below zero; it is kept as a credit.',
    next: 'Nothing to do.',
  },
  clicks_exceed_impressions: {
    kind: 'input',
    status: 422,
    message: 'There are more clicks than impressions.',
    next: 'Check that both columns are mapped to the right field.',
  },
});

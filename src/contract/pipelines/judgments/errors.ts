// Errors of the judgments pipeline: batches, the rows in them, and the review of plaintiffs.
import { defineErrors } from '../../errors/entry.ts';

export const judgmentsErrors = defineErrors({
  batch_id_invalid: {
    kind: 'input',
    status: 422,
    message: 'The batch id cannot be used: {reason}.',
    next: 'Use letters, digits and . _ : / - only, for example simplicity-2026-01-07.',
  },
  batch_content_changed: {
    kind: 'conflict',
    status: 409,
    message: 'Batch {batch} was uploaded before with other content, as run {run}; nothing was imported.',
    next: 'Find out which file is right. If the new one replaces the old, send it again with supersede (--supersede).',
  },
  batch_failed_before: {
    kind: 'conflict',
    status: 409,
    message: 'Batch {batch} failed before, as run {run}; nothing was imported.',
    next: 'Retry it with "millrace runs retry {run}", or send a corrected file with supersede (--supersede).',
  },
  batch_still_running: {
    kind: 'conflict',
    status: 409,
    message: 'Batch {batch} is {status} as run {run}; it cannot be superseded before it has ended.',
    next: 'Wait for it to end, or cancel it with "millrace runs cancel {run}".',
  },
  batch_file_refused: {
    kind: 'input',
    status: 422,
    message: 'Millrace did not accept the file as batch {batch}: {reason}',
    next: 'Give the file another name, or upload it by "millrace ingest" with --supersede.',
  },
  batch_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no batch {batch}.',
    next: 'Look at the list of batches; the id may belong to another tenant.',
  },
  batch_removal_refused: {
    kind: 'conflict',
    status: 409,
    message: 'The rows of batch {batch} cannot be removed: only batches of the golden path can.',
    next: 'Correct the rows by a batch that supersedes it.',
  },
  policy_invalid: {
    kind: 'input',
    status: 422,
    message: 'The column policy cannot be used: {reason}.',
    next: 'Write it as column=keep, column=overwrite or column=clear, separated by commas.',
  },
  nothing_imported: {
    kind: 'input',
    status: 422,
    message: 'None of the {total} rows could be imported.',
    next: 'Look at the rejected rows: each says why.',
  },

  case_number_missing: {
    kind: 'input',
    status: 422,
    message: 'The row has no case number.',
    next: 'Fill in the case number and replay the row.',
  },
  case_number_too_long: {
    kind: 'input',
    status: 422,
    message: 'The case number has more than {limit} characters.',
    next: 'Check that the column is mapped to the right field.',
  },
  party_name_too_long: {
    kind: 'input',
    status: 422,
    message: 'The name has more than {limit} characters.',
    next: 'Look for a missing quote in the file; shorten the name and replay the row.',
  },
  text_too_long: {
    kind: 'input',
    status: 422,
    message: 'The cell has more than {limit} characters.',
    next: 'Check that the column is mapped to the right field.',
  },
  amount_absurd: {
    kind: 'input',
    status: 422,
    message: 'The amount is above one trillion, which no judgment is.',
    next: 'Check the decimal sign of the column; correct the amount and replay the row.',
  },
  filing_date_in_future: {
    kind: 'input',
    status: 422,
    message: 'The filing date lies in the future.',
    next: 'Check the order of day and month; correct the date and replay the row.',
  },
  case_repeated: {
    kind: 'input',
    status: 422,
    message: 'Line {line} has the same case with other values.',
    next: 'Keep the right one of the two rows and replay it.',
  },
  plaintiff_missing: {
    kind: 'input',
    status: 422,
    message: 'The row names no plaintiff; the case is stored without one.',
    next: 'Nothing to do, or fill in the plaintiff.',
  },
  phone_unusable: {
    kind: 'input',
    status: 422,
    message: 'The phone has fewer than seven digits and is not used to recognise the plaintiff.',
    next: 'Nothing to do, or fill in the number.',
  },
  email_unusable: {
    kind: 'input',
    status: 422,
    message: 'The email is not an address and is not used to recognise the plaintiff.',
    next: 'Nothing to do, or fill in the address.',
  },

  judgment_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no judgment {judgment}.',
    next: 'Look at the list of judgments.',
  },
  plaintiff_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no plaintiff {plaintiff}.',
    next: 'Look at the list of plaintiffs.',
  },
  review_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no review {review}.',
    next: 'Look at the list of reviews.',
  },
  review_decided: {
    kind: 'conflict',
    status: 409,
    message: 'Review {review} is {status} already.',
    next: 'Read it again; a decision can be undone.',
  },
  split_invalid: {
    kind: 'input',
    status: 422,
    message: 'The cases cannot be taken away from plaintiff {plaintiff}: {reason}.',
    next: 'Name cases of this plaintiff, and leave it at least one.',
  },

  golden_path_unconfirmed: {
    kind: 'config',
    status: 409,
    message: 'The golden path writes a test batch into production and was not confirmed.',
    next: 'Run it with --dry-run first, then with --yes.',
  },
  golden_path_dev_only: {
    kind: 'config',
    status: 409,
    message: 'The crash tests run in dev only: {reason}.',
    next: 'Use --env dev on an installation whose work can be disturbed.',
  },
  golden_path_failed: {
    kind: 'bug',
    status: 500,
    message: 'The golden path failed: {checks}.',
    next: 'Do not import into this installation until the golden path passes; "millrace doctor" may say why.',
  },
});

// Errors of the durable run engine.
import { defineErrors } from './entry.ts';

export const engineErrors = defineErrors({
  work_later: {
    kind: 'rate_limited',
    status: 503,
    message: 'The remaining work is due later: {what}.',
    next: 'Millrace continues by itself. Resume the run to continue at once.',
  },
  pipeline_not_startable: {
    kind: 'input',
    status: 422,
    message: 'Runs of "{pipeline}" cannot be started directly.',
    next: 'Upload a file to it, or trigger it as its documentation says.',
  },
  pipeline_unknown: {
    kind: 'input',
    status: 404,
    message: 'There is no pipeline named "{pipeline}".',
    next: 'Use one of: {known}.',
  },
  run_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no run {run}.',
    next: 'Check the id; "millrace runs list" shows the runs you may see.',
  },
  question_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no question {question}.',
    next: 'GET /v1/questions lists those that wait for an answer.',
  },
  question_closed: {
    kind: 'conflict',
    status: 409,
    message:
      'Question {question} is closed: it was answered, nobody answered in time, or its run {run} ("{state}") has ended.',
    next: 'Read the run again.',
  },
  answer_unknown: {
    kind: 'input',
    status: 422,
    message: 'Question {question} has no answer "{answer}".',
    next: 'Give one of: {known}.',
  },
  event_illegal: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} is "{state}"; "{event}" is not possible from there.',
    next: 'Read the run again: it may have moved on. Possible now: {possible}.',
  },
  input_invalid: {
    kind: 'input',
    status: 422,
    message: 'The input for pipeline "{pipeline}" is not valid: {reason}.',
    next: 'Correct the named fields and enqueue again.',
  },
  input_too_large: {
    kind: 'input',
    status: 413,
    message: 'The input for pipeline "{pipeline}" has {bytes} bytes; at most {limit} are kept with a run.',
    next: 'Store the content as a blob and put its id into the input.',
  },
  batch_too_large: {
    kind: 'input',
    status: 413,
    message: 'The call gave {count} runs; one call takes at most {limit}.',
    next: 'Enqueue them in several calls.',
  },
  cursor_malformed: {
    kind: 'input',
    status: 400,
    message: 'The cursor is not one that this list returned.',
    next: 'Start again without a cursor.',
  },
  lease_lost: {
    kind: 'lost',
    status: 409,
    message: 'Attempt {attempt} no longer holds run {run}; nothing was written.',
    next: 'Nothing to do: the run goes on under another attempt or has ended.',
  },
  commits_lost: {
    kind: 'lost',
    status: 409,
    message:
      'The database does not have the commits that attempt {attempt} of run {run} made in stage "{stage}"; nothing more was written.',
    next: 'Nothing to do for the run: it goes on from what the database has. Look for a failover that lost transactions; synchronous replicas lose none.',
  },
  worker_lost: {
    kind: 'lost',
    status: 500,
    message: 'The workers of run {run} died {count} times while they worked on it; Millrace does not try it again.',
    next: 'Look at its input and at the worker log around the last attempt, then retry it.',
  },
  stage_stalled: {
    kind: 'transient',
    status: 504,
    message: 'Stage "{stage}" of run {run} made no progress for {seconds} s.',
    next: 'Millrace tries again; raise the stage\'s "stallMs" if it is known to be slow.',
  },
  stage_failed: {
    kind: 'bug',
    status: 500,
    message: 'Stage "{stage}" of run {run} failed unexpectedly.',
    next: 'See the worker log for the attempt, then retry the run.',
  },
  stage_missing: {
    kind: 'config',
    status: 500,
    message: 'Pipeline "{pipeline}" has no code for stage "{stage}".',
    next: 'Start workers of the version that knows this stage.',
  },
  stage_ended_transaction: {
    kind: 'bug',
    status: 500,
    message: 'Stage "{stage}" of run {run} ended the transaction it was given; what it wrote before may be stored.',
    next: 'Take commit and rollback out of the stage: its commit() ends the transaction. Savepoints are fine.',
  },
  event_reserved: {
    kind: 'bug',
    status: 500,
    message: 'Run {run} was to emit "{type}"; names that begin with "run." are the engine\'s own.',
    next: 'Emit it under a name of the pipeline, such as "{pipeline}.told".',
  },
  receipt_unbalanced: {
    kind: 'bug',
    status: 500,
    message: 'The receipt of run {run} does not add up: read {read}, accounted for {accounted}.',
    next: 'Nothing was marked as done. Report it with the run id.',
  },
  run_cancelled: {
    kind: 'cancelled',
    status: 409,
    message: 'Run {run} was cancelled by {by}.',
    next: 'Retry it to start again.',
  },
  run_already_retried: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} was already retried as {successor}.',
    next: 'Follow that run instead.',
  },
  run_undone: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} was undone by run {by}; what it stored has been taken back.',
    next: 'Upload the file again, or read it again ("millrace runs reread"), to bring it back.',
  },
  undo_unsupported: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} of {pipeline} ({status}) cannot be undone.',
    next: 'GET /v1/runs/:run_id names under "actions" what can be done with it.',
  },
  not_a_dead_letter: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} is not a dead letter (it is "{state}").',
    next: 'Only runs listed by "millrace dead-letters list" can be requeued or acknowledged.',
  },
  verify_unfinished: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} is {status}: it has no receipt to verify.',
    next: 'Only a run that is done has one; "millrace why RUN" says where this one stands.',
  },
  verify_unsupported: {
    kind: 'config',
    status: 422,
    message: 'Pipeline "{pipeline}" does not supply a recount.',
    next: 'Give the pipeline a "recount" function.',
  },
  machine_conflict: {
    kind: 'config',
    status: 500,
    message: 'Pipeline "{pipeline}" version {version} contradicts the machine already in the database: {reason}.',
    next: 'States and arrows may only be added. Deploy a version that keeps the existing ones.',
  },
  rate_limited: {
    kind: 'rate_limited',
    status: 429,
    message: 'The rate limit for "{key}" is exhausted for {seconds} s.',
    next: 'Millrace goes on by itself when the time has passed.',
  },
  bulk_count_changed: {
    kind: 'conflict',
    status: 409,
    message: '{found} runs match now; the preview showed {expected}.',
    next: 'Look at the count again, then confirm it.',
  },
  schedule_invalid: {
    kind: 'input',
    status: 422,
    message: 'The schedule "{name}" is not valid: {reason}.',
    next: 'Give a five-field cron expression and an IANA time zone.',
  },
});

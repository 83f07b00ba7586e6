// Errors of the command line itself.
import { defineErrors } from './entry.ts';

export const cliErrors = defineErrors({
  command_invalid: {
    kind: 'input',
    status: 400,
    message: 'Millrace does not understand the command: {reason}.',
    next: 'Add --help to see how to use it.',
  },
  tenant_unclear: {
    kind: 'input',
    status: 400,
    message: 'There are {count} tenants, and none of them was named.',
    next: 'Add --tenant with a name or id; "millrace tenants list" shows them.',
  },
  tenant_name_shared: {
    kind: 'input',
    status: 400,
    message: '{count} tenants are called "{tenant}".',
    next: 'Give the id instead of the name; "millrace tenants list" shows both.',
  },
  tenant_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is a tenant "{tenant}" already: {id}.',
    next: 'Go on with that one, or choose another name.',
  },
  runs_unnamed: {
    kind: 'input',
    status: 400,
    message: 'The command does not say which runs to {act}.',
    next: 'Name the runs, or give --pipeline, --status or --phase.',
  },
  user_unclear: {
    kind: 'input',
    status: 404,
    message: 'There is no user "{user}".',
    next: 'Give the email address as "millrace users list" shows it.',
  },
  server_unreachable: {
    kind: 'transient',
    status: 503,
    message: 'There is no Millrace server at {url}: {reason}.',
    next: 'Check MILLRACE_URL; unset it to work on the database of this machine directly.',
  },
  token_missing: {
    kind: 'config',
    status: 401,
    message: 'MILLRACE_URL is set, but MILLRACE_TOKEN is not.',
    next: 'Set MILLRACE_TOKEN to an API key of that server.',
  },
  input_file_missing: {
    kind: 'input',
    status: 404,
    message: 'The file {file} cannot be read: {reason}.',
    next: 'Check the path and its permissions.',
  },
  input_not_json: {
    kind: 'input',
    status: 400,
    message: 'The file {file} is not valid JSON: {reason}.',
    next: 'Correct it and give the command again.',
  },
  option_unfit: {
    kind: 'input',
    status: 400,
    message: '{option} is an option of the pipeline {other}; the file is for {pipeline}.',
    next: 'Leave the option out, or name the pipeline with --pipeline.',
  },
  field_unreadable: {
    kind: 'input',
    status: 400,
    message: '--field {field} names no field.',
    next: 'Write it as --field name=value.',
  },
});

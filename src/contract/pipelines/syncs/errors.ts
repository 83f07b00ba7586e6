// Errors of the Airbyte syncs: connectors, cadence, and what Airbyte answers.
import { defineErrors } from '../../errors/entry.ts';

export const syncErrors = defineErrors({
  connector_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no connector {connector}.',
    next: 'Check the id; "millrace connectors list" shows the connectors of your tenant.',
  },
  connector_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is a connector named "{name}" already.',
    next: 'Choose another name.',
  },
  connector_busy: {
    kind: 'conflict',
    status: 409,
    message: 'Connector {connector} cannot be removed yet: its sync {job} is being cancelled.',
    next: 'Try again in a moment.',
  },
  connector_disabled: {
    kind: 'conflict',
    status: 409,
    message: 'Connector {connector} is switched off ({reason}).',
    next: 'Switch it on again (PATCH with enabled: true, or "millrace connectors enable"), then trigger the sync.',
  },
  connector_secret_unreadable: {
    kind: 'config',
    status: 500,
    message: 'The stored credential of connector {connector} cannot be decrypted with the current key.',
    next: 'Restore the former CONNECTOR_SECRET_KEY, or give the connector its credential again.',
  },
  connection_not_found: {
    kind: 'config',
    status: 422,
    message: 'Airbyte has no connection {connection} in workspace {workspace}.',
    next: 'It may be deleted or in another workspace: "millrace connectors available" lists those you can choose from.',
  },
  connection_not_active: {
    kind: 'config',
    status: 422,
    message: 'Airbyte connection {connection} is {state} and cannot be synced.',
    next: 'Make it active in Airbyte, then try again.',
  },
  workspace_wrong: {
    kind: 'input',
    status: 422,
    message: 'Workspace {workspace} cannot be reached with the credential of this installation.',
    next: 'Leave the workspace out, or give the connector a credential of its own.',
  },
  connection_taken: {
    kind: 'conflict',
    status: 409,
    message: 'Airbyte connection {connection} has a connector already.',
    next: 'A connection has one connector at most; remove the other one first.',
  },
  cadence_too_short: {
    kind: 'input',
    status: 422,
    message: 'An interval of {wanted} h is below the {minimum} h that plan "{plan}" allows.',
    next: 'Give at least {minimum} h (interval_seconds: {seconds}), or ask for another plan.',
  },
  cadence_fixed: {
    kind: 'input',
    status: 422,
    message: 'Plan "{plan}" syncs every {minimum} h; the interval cannot be chosen.',
    next: 'Leave the interval out, or ask for another plan.',
  },
  sync_too_soon: {
    kind: 'rate_limited',
    status: 429,
    message:
      'Connector {connector} was synced less than {minimum} h ago; plan "{plan}" allows the next sync at {next_at}.',
    next: 'Wait until then; the schedule does it by itself. Support may trigger it earlier.',
  },
  sync_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no sync {job}.',
    next: 'Check the id; "millrace syncs list" shows the syncs of your tenant.',
  },
  sync_live: {
    kind: 'conflict',
    status: 409,
    message: 'Connector {connector} has a live sync, {job}; a dead letter of it cannot be requeued beside it.',
    next: 'Follow that sync, or cancel it first.',
  },
  airbyte_not_configured: {
    kind: 'config',
    status: 503,
    message: 'There is no credential for Airbyte: {missing} is not set.',
    next: 'Set AIRBYTE_API_TOKEN, or AIRBYTE_CLIENT_ID and AIRBYTE_CLIENT_SECRET, and AIRBYTE_WORKSPACE_ID; or give the connector its own.',
  },
  airbyte_unauthorized: {
    kind: 'auth',
    status: 502,
    message: 'Airbyte refused the credential (401): {detail}.',
    next: 'Renew the credential, then requeue the dead letter (an admin or support may).',
  },
  airbyte_forbidden: {
    kind: 'auth',
    status: 502,
    message: 'Airbyte does not allow the credential to do this (403): {detail}.',
    next: 'Give the credential access to the workspace, then requeue the dead letter (an admin or support may).',
  },
  airbyte_not_found: {
    kind: 'config',
    status: 502,
    message: 'Airbyte does not know the {what} (404): {detail}.',
    next: 'It may have been deleted there; choose another connection for the connector.',
  },
  airbyte_busy: {
    kind: 'conflict',
    status: 502,
    message: 'A sync of the connection is running at Airbyte already (409).',
    next: 'Nothing to do: Millrace adopts the running sync.',
  },
  airbyte_not_running: {
    kind: 'conflict',
    status: 502,
    message: 'The Airbyte job is not running, or the connection cannot be synced now (409): {detail}.',
    next: 'Look at the connection in Airbyte.',
  },
  airbyte_unprocessable: {
    kind: 'config',
    status: 502,
    message: 'Airbyte cannot do what was asked ({status}): {detail}.',
    next: 'Look at the connection in Airbyte; it may be locked or wrongly configured.',
  },
  airbyte_rate_limited: {
    kind: 'rate_limited',
    status: 503,
    message: 'Airbyte asked to slow down (429).',
    next: 'Millrace continues by itself; this costs no retry.',
  },
  airbyte_unavailable: {
    kind: 'transient',
    status: 503,
    message: 'Airbyte answered with an error of its own ({status}): {detail}.',
    next: 'Millrace tries again with growing pauses.',
  },
  airbyte_timeout: {
    kind: 'transient',
    status: 503,
    message: 'Airbyte did not answer within {seconds} s.',
    next: 'Millrace tries again with growing pauses; if Airbyte started the sync all the same, Millrace finds and adopts it.',
  },
  airbyte_unreachable: {
    kind: 'transient',
    status: 503,
    message: 'The connection to Airbyte failed: {reason}.',
    next: 'Millrace tries again with growing pauses. Check AIRBYTE_BASE_URL when it never succeeds.',
  },
  airbyte_unreadable: {
    kind: 'transient',
    status: 503,
    message: 'Airbyte’s answer could not be read ({status}, {type}).',
    next: 'Millrace tries again. A page of HTML comes from a proxy in between: check AIRBYTE_BASE_URL.',
  },
  airbyte_sync_failed: {
    kind: 'transient',
    status: 502,
    message: 'Airbyte job {airbyte_job} ended as "{state}".',
    next: 'Millrace tries again with growing pauses. The reason is in the job’s log in Airbyte.',
  },
});

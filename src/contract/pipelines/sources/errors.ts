// Errors of sources: setting one up, reaching its place, and what becomes of single objects.
import { defineErrors } from '../../errors/entry.ts';

export const sourcesErrors = defineErrors({
  source_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no source {source}.',
    next: 'Check the id; "millrace sources list" shows the sources of your tenant.',
  },
  source_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is a source named "{name}" already.',
    next: 'Choose another name.',
  },
  source_settings_invalid: {
    kind: 'input',
    status: 422,
    message: 'The source cannot be set up so: {faults}.',
    next: 'Correct these settings and try again; POST /v1/sources/preview shows what they would bring.',
  },
  source_limit_reached: {
    kind: 'conflict',
    status: 409,
    message: 'Plan "{plan}" allows {limit} sources, and there are as many already.',
    next: 'Remove a source that is no longer needed, or ask for another plan.',
  },
  source_too_often: {
    kind: 'input',
    status: 422,
    message: 'The schedule "{cron}" syncs every {minutes} min; plan "{plan}" allows every {minimum} min.',
    next: 'Choose a rarer schedule, or ask for another plan. "Sync now" is always possible.',
  },
  source_paused: {
    kind: 'conflict',
    status: 409,
    message: 'The source "{name}" is paused.',
    next: 'Resume it (PATCH with paused: false, or "millrace sources resume"), then sync it.',
  },
  source_busy: {
    kind: 'conflict',
    status: 409,
    message: 'The source "{name}" cannot be removed or moved to other objects yet: its sync {run} is still at work.',
    next: 'Cancel that sync or wait for its end, then try again.',
  },
  source_scope_narrowed: {
    kind: 'conflict',
    status: 409,
    message: '{count} objects that were taken in would no longer belong to the source.',
    next: 'Say what becomes of what they brought: out_of_scope=keep leaves it, out_of_scope=deactivate takes it away.',
  },
  source_removal_undecided: {
    kind: 'conflict',
    status: 409,
    message: 'The source brought {count} objects that are still in use.',
    next: 'Say what becomes of them: objects=keep leaves them, objects=deactivate takes them away.',
  },
  source_folder_refused: {
    kind: 'config',
    status: 422,
    message: 'The folder "{folder}" may not be read by a source.',
    next: 'The operator lists the folders that sources may read in SOURCE_FOLDER_ROOTS.',
  },
  source_secret_unreadable: {
    kind: 'config',
    status: 503,
    message: 'The stored credential of the source cannot be opened with the present key.',
    next: 'Put the former CONNECTOR_SECRET_KEY back, or give the source its credential again.',
  },
  source_denied: {
    kind: 'auth',
    status: 422,
    message: 'The place refused the credential: {reason}.',
    next: 'Check the key or password and its rights (list and read), give the source the right one, then sync again.',
  },
  source_place_gone: {
    kind: 'config',
    status: 422,
    message: 'The place is not there: {reason}.',
    next: 'Check the bucket, host or directory. Nothing was deactivated: a place that cannot be listed proves no absence.',
  },
  source_unreachable: {
    kind: 'transient',
    status: 503,
    message: 'The place could not be reached: {reason}.',
    next: 'Millrace tries again with growing pauses. Check host, port and network when it never succeeds.',
  },
  source_throttled: {
    kind: 'rate_limited',
    status: 503,
    message: 'The place asked to slow down.',
    next: 'It goes on by itself; this costs no retry.',
  },
  source_clock_skewed: {
    kind: 'config',
    status: 422,
    message: 'The place refused the request because the clocks differ too much.',
    next: 'Set the clock of this server (NTP), then sync again.',
  },
  source_host_key_changed: {
    kind: 'auth',
    status: 422,
    message: 'The server shows the host key {shown}, which is not the pinned one.',
    next: 'Ask the server’s owner whether the key was changed; if so, pin the new one (host_key). Nothing was sent or read.',
  },
  source_host_key_unconfirmed: {
    kind: 'input',
    status: 422,
    message: 'The server {server} is not the one whose host key is pinned, and no key was given for it.',
    next: 'Test the connection, compare the key that the server shows with the one its owner published, and give it as host_key.',
  },
  source_certificate_refused: {
    kind: 'config',
    status: 422,
    message: 'The certificate of the server is not trusted ({reason}).',
    next: 'Give the source the certificate of the server or of who signed it, or have the server show one for its name.',
  },
  source_listing_unusable: {
    kind: 'config',
    status: 422,
    message: 'The listing of the place cannot be trusted: {reason}.',
    next: 'Check the server; nothing was deactivated. A narrower prefix may help.',
  },
  source_object_denied: {
    kind: 'input',
    status: 422,
    message: 'The object "{name}" may not be read with the source’s credential.',
    next: 'Give the credential the right to read it; the next sync tries again.',
  },
  source_object_gone: {
    kind: 'transient',
    status: 409,
    message: 'The object "{name}" was gone before it could be read.',
    next: 'The next sync looks again.',
  },
  source_object_name_unusable: {
    kind: 'input',
    status: 422,
    message: 'The name of an object cannot be read: {reason}.',
    next: 'Rename it at the place; the next sync takes it.',
  },
  source_mass_deletion: {
    kind: 'input',
    status: 409,
    message: '{vanished} of {known} objects of the source have vanished at once.',
    next: 'Answer the run’s question: deactivate what they brought, or keep it.',
  },
});

// Errors of everything that takes bytes in: blob stores, uploads, watched sources.
import { defineErrors } from './entry.ts';

export const intakeErrors = defineErrors({
  blob_key_invalid: {
    kind: 'bug',
    status: 500,
    message: 'The blob key does not have the form that Millrace uses.',
    next: 'Nothing was read or written. Report it with the correlation id.',
  },
  blob_exists: {
    kind: 'conflict',
    status: 409,
    message: 'Blob {key} is already stored; blobs never change.',
    next: 'Store the bytes under a new id.',
  },
  blob_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no blob {blob}.',
    next: 'Check the id; Millrace deletes the bytes of old runs after their retention time.',
  },
  blob_store_refused: {
    kind: 'config',
    status: 503,
    message: 'The blob store refused the request: {reason}.',
    next: 'Check bucket, credentials and permissions of the store (the BLOB_* settings).',
  },
  file_too_large: {
    kind: 'input',
    status: 413,
    message: 'The file is larger than the {limit} bytes allowed.',
    next: 'Split the file, or ask the operator to raise UPLOAD_MAX_SIZE_MB.',
  },
  file_empty: {
    kind: 'input',
    status: 422,
    message: 'The file "{name}" has no content.',
    next: 'Check the export that made it and send it again.',
  },
  file_name_unusable: {
    kind: 'input',
    status: 422,
    message: 'The file has no usable name.',
    next: 'Give the file a name with an extension, for example report.csv.',
  },
  upload_not_multipart: {
    kind: 'input',
    status: 415,
    message: 'The request is not multipart/form-data with a boundary.',
    next: 'Send the file as a form upload, for example: curl -F file=@report.csv.',
  },
  upload_malformed: {
    kind: 'input',
    status: 400,
    message: 'The upload is not well-formed: {reason}.',
    next: 'Send it again; if a program made the request, check how it writes multipart bodies.',
  },
  upload_truncated: {
    kind: 'input',
    status: 400,
    message: 'The upload ended before its last part did.',
    next: 'Send it again, and check that Content-Length is the true length of the body.',
  },
  upload_aborted: {
    kind: 'input',
    status: 400,
    message: 'The connection closed before the upload was complete; Millrace kept nothing.',
    next: 'Send it again.',
  },
  upload_stalled: {
    kind: 'input',
    status: 408,
    message: 'Nothing arrived for {seconds} s; Millrace ended the upload and kept nothing.',
    next: 'Send it again over a working connection, and check that Content-Length is true.',
  },
  upload_too_slow: {
    kind: 'input',
    status: 408,
    message: 'The upload came at less than {rate} bytes a second; Millrace ended it and kept nothing.',
    next: 'Send it again over a faster connection, or compress or split the file.',
  },
  upload_file_missing: {
    kind: 'input',
    status: 422,
    message: 'The upload has no file in it.',
    next: 'Add one part named "file" with a file name.',
  },
  upload_file_repeated: {
    kind: 'input',
    status: 422,
    message: 'The upload has more than one file.',
    next: 'Send one file per request.',
  },
  upload_too_many_parts: {
    kind: 'input',
    status: 413,
    message: 'The upload has more than {limit} parts.',
    next: 'Send one file and only the documented fields.',
  },
  upload_field_too_large: {
    kind: 'input',
    status: 413,
    message: 'The field "{field}" is longer than {limit} bytes.',
    next: 'Shorten the field; only the file part may be large.',
  },
  upload_field_repeated: {
    kind: 'input',
    status: 422,
    message: 'The field "{field}" was given twice.',
    next: 'Give each field once.',
  },
  upload_fields_invalid: {
    kind: 'input',
    status: 422,
    message: 'Millrace did not accept the upload: {faults}.',
    next: 'Correct the named fields and send the file again.',
  },
  upload_busy: {
    kind: 'transient',
    status: 503,
    message: 'The server is receiving {limit} uploads already.',
    next: 'Send it again in a few seconds.',
  },
  source_unusable: {
    kind: 'config',
    status: 500,
    message: 'The source {source} cannot be used: {reason}.',
    next: 'Check that its folder exists and that this user may read, write and move files in it.',
  },
  source_file_unreadable: {
    kind: 'input',
    status: 422,
    message: 'The file "{name}" cannot be read: {reason}.',
    next: 'Give the Millrace user permission to read it and put it back into the folder.',
  },
  source_file_changing: {
    kind: 'transient',
    status: 409,
    message: 'The file "{name}" changed while it was being read.',
    next: 'Millrace reads it again when it has not changed for a while.',
  },
});

// Errors of the documents pipeline: files that cannot be read, documents that are not served, the embedding provider.
import { defineErrors } from '../../errors/entry.ts';

export const documentsErrors = defineErrors({
  document_type_unknown: {
    kind: 'input',
    status: 415,
    message: 'The file is not a document that can be read: {found}.',
    next: 'Send a PDF, DOCX, HTML, TXT or MD file under its own extension.',
  },
  document_encrypted: {
    kind: 'input',
    status: 422,
    message: 'extraction error: the document is encrypted and needs a password.',
    next: 'Save it without a password and upload it again.',
  },
  document_damaged: {
    kind: 'input',
    status: 422,
    message: 'extraction error: the document is damaged: {reason}.',
    next: 'Open it in its own program, save it anew and upload it again.',
  },
  document_without_pages: {
    kind: 'input',
    status: 422,
    message: 'extraction error: the document has no pages.',
    next: 'Check the program that made it and upload it again.',
  },
  document_without_text: {
    kind: 'input',
    status: 422,
    message: 'extraction error: none of the {pages} pages has text ({empty} empty, {rejected} rejected).',
    next: 'Look at the reason of each page in the run. If pages are scans, set OCR=auto and retry the run.',
  },
  document_too_complex: {
    kind: 'input',
    status: 422,
    message: 'extraction error: reading the document takes more than it may: {reason}.',
    next: 'Split the document, or ask the operator to raise EXTRACT_MAX_MEMORY_MB or EXTRACT_TIMEOUT_SECONDS.',
  },
  extractor_lost: {
    kind: 'transient',
    status: 503,
    message: 'The process that reads documents ended: {reason}.',
    next: 'The run is tried again by itself. If it happens to one document only, report it.',
  },
  document_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no document {document}.',
    next: 'Look at the list of documents; the id may belong to another tenant.',
  },
  document_version_not_found: {
    kind: 'input',
    status: 404,
    message: 'Document {document} has no version {version}.',
    next: 'Look at the versions of the document.',
  },
  document_page_not_found: {
    kind: 'input',
    status: 404,
    message: 'Version {version} of document {document} has no page {page}.',
    next: 'Look at the list of its pages.',
  },
  document_page_has_no_image: {
    kind: 'input',
    status: 404,
    message: 'Page {page} cannot be shown as an image: only pages of a PDF have one.',
    next: 'Read its text instead.',
  },
  document_bytes_gone: {
    kind: 'input',
    status: 410,
    message: 'The stored file of this version is gone: {reason}.',
    next: 'Upload the file again, or keep files with KEEP_RAW=keep.',
  },
  document_deactivated: {
    kind: 'conflict',
    status: 409,
    message: 'Document {document} was deactivated; the same file does not bring it back.',
    next: 'Ask an admin to reactivate it, or to upload the file.',
  },
  document_purged: {
    kind: 'conflict',
    status: 409,
    message: 'This file was purged for good as document {document}.',
    next: 'Ask an admin to upload it if it is wanted again.',
  },
  document_not_served: {
    kind: 'conflict',
    status: 409,
    message: 'Document {document} is not active.',
    next: 'Reactivate one of its versions, or upload it again.',
  },
  document_still_running: {
    kind: 'conflict',
    status: 409,
    message: 'Run {run} works on document {document}.',
    next: 'Wait for it to end, or cancel it with "millrace runs cancel {run}".',
  },
  document_page_retry_refused: {
    kind: 'conflict',
    status: 409,
    message: 'Page {page} cannot be read again with OCR: {reason}.',
    next: 'Exclude the page, or upload the document again.',
  },
  question_empty: {
    kind: 'input',
    status: 422,
    message: 'The question has no letter and no digit.',
    next: 'Ask in words.',
  },
  stream_with_key: {
    kind: 'input',
    status: 422,
    message: 'A streamed answer cannot be kept for an Idempotency-Key.',
    next: 'Leave out the key, or ask without "stream".',
  },
  query_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no question {query}.',
    next: 'Look at the list of questions; it may be somebody else’s, or too old to be kept.',
  },
  conversation_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no conversation {conversation} of yours.',
    next: 'Look at the list of your conversations, or begin a new one.',
  },
  embedding_provider_failed: {
    kind: 'transient',
    status: 503,
    message: 'The embedding provider failed: {reason}.',
    next: 'The run is tried again by itself. Check EMBEDDING_URL and the provider.',
  },
  embedding_provider_refused: {
    kind: 'config',
    status: 503,
    message: 'The embedding provider refused the request: {reason}.',
    next: 'Check EMBEDDING_URL, EMBEDDING_API_KEY, EMBEDDING_MODEL and EMBEDDING_DIM.',
  },
  embedding_model_unusable: {
    kind: 'config',
    status: 503,
    message: 'The embedding model cannot be used: {reason}.',
    next: 'Check EMBEDDING_PROVIDER and EMBEDDING_MODEL_PATH; "npm run build" makes the embedded model.',
  },
});

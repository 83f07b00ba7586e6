// The events of sources that a webhook can be told about, and the facts that alert rules can name.

export const sourcesEvents = {
  'source.synced': 'a source was looked through; the counts say what was found',
  'source.failed': 'a source could not be looked through to its end',
  'source.stale': 'a source has not been looked through for too long',
} as const;

export const sourcesAlertEvents = {
  source_failed: 'A source could not be looked through to its end.',
  source_stale: 'A source has not been looked through for too long.',
} as const;

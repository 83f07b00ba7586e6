// The events of the ads pipeline that a webhook can be told about, and the facts that alert rules can name.

export const adsEvents = {
  IngestionCompleteEvent: 'the numbers of an ads upload are in the tables',
} as const;

export const adsAlertEvents = {
  ingestion_complete: 'The numbers of an ads upload are in the tables, all of them or a part (IngestionCompleteEvent).',
} as const;

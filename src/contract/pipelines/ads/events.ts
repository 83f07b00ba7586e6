// The events of the ads pipeline that a webhook can be told about.

export const adsEvents = {
  IngestionCompleteEvent: 'the numbers of an ads upload are in the tables',
} as const;

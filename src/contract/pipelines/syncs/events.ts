// The events of the syncs pipeline that a webhook can be told about, and the facts that alert rules can name.

export const syncsEvents = {
  'job.queued': 'a sync was queued',
  'job.started': 'a sync was started at Airbyte',
  'job.completed': 'a sync ended well',
  'job.failed': 'a sync failed once',
  'job.retry': 'a failed sync is going to be tried again',
  'job.dead_lettered': 'a sync became a dead letter',
  'job.cancelled': 'a sync was cancelled',
  'connector.failing': 'syncs of a connector fail again and again',
  'connector.disabled': 'a connector was switched off after too many failures',
} as const;

export const syncsAlertEvents = {
  connector_disabled: 'A connector was switched off after too many failures.',
} as const;

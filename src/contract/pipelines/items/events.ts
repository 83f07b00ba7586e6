// The events of items that a webhook can be told about, and the facts that alert rules can name.

export const itemsEvents = {
  'items.completed': 'every item of a job has its fate; the counts say which',
} as const;

export const itemsAlertEvents = {
  items_failed: 'A job has ended and a tenth of its items or more are ERROR.',
  items_not_found: 'A job has ended and half of its items or more are NOT_FOUND.',
} as const;

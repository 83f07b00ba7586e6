// The words of the items specification: free of zod, for the console as well.

export const itemStatuses = ['PENDING', 'PROCESSING', 'DONE', 'ERROR', 'NOT_FOUND', 'SKIPPED'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

export const queueStates = ['QUEUED', 'RUNNING', 'PAUSED', 'DONE', 'FAILED'] as const;
export type QueueState = (typeof queueStates)[number];

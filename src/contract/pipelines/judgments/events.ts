// The facts of the judgments pipeline that alert rules can name.

export const judgmentsAlertEvents = {
  batch_content_changed: 'A batch was handed in again with other content.',
} as const;

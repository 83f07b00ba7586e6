// The facts of the judgments pipeline that alert rules can name.

export const judgmentsAlertEvents = {
  batch_content_changed: 'A batch was uploaded again with other content.',
} as const;

// Two pages name a test for each clause of the specification.
import { describeChecklists } from '../../../test/support/checklist.ts';

describeChecklists([
  ['documents-checklist.md', 60],
  ['documents-specification.md', 150],
]);

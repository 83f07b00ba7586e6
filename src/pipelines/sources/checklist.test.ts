import { describeChecklists } from '../../../test/support/checklist.ts';

describeChecklists([['sources-checklist.md', 60]]);

import { describeChecklists } from '../../test/support/checklist.ts';

describeChecklists([['reading-checklist.md', 100]]);

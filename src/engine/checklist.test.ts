import { describeChecklists } from '../../test/support/checklist.ts';

describeChecklists([['engine-checklist.md', 100]]);

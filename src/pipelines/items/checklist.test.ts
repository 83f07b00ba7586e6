import { describeChecklists } from '../../../test/support/checklist.ts';

describeChecklists([['items-checklist.md', 110]]);

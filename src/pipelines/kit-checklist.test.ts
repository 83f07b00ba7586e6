import { describeChecklists } from '../../test/support/checklist.ts';

describeChecklists([['kit-checklist.md', 65]]);

// Court judgments: batches, the stored cases, and the people who sued.
import { createRoute } from '@tanstack/react-router';
import { data } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, type FileKind, noRoutes, type RowColumns } from '../kit.ts';
import { batchesReader } from './batches-reader.ts';
import { readJudgmentSearch } from './judgment-search.ts';

const judgmentsPage = createRoute({
  getParentRoute: () => data,
  path: '/judgments',
  validateSearch: readJudgmentSearch,
  component: lazy(() => import('./judgments-page.tsx'), 'JudgmentsPage'),
});

const plaintiffsPage = createRoute({
  getParentRoute: () => data,
  path: '/plaintiffs',
  component: lazy(() => import('./plaintiffs-page.tsx'), 'PlaintiffsPage'),
});

const batch: FileKind = {
  name: 'judgments',
  title: 'Judgments',
  marks: [
    [/case[ _]?(number|no\.?)/i, 3, 'Case number'],
    [/plaintiff/i, 2, 'Plaintiff'],
    [/defendant/i, 2, 'Defendant'],
    [/judge?ment[ _](amount|date)/i, 2, 'Judgment amount'],
  ],
  filename: /judge?ments?/i,
};

const columns: RowColumns = {
  words: {
    case_number: 'Case',
    county: 'County',
    plaintiff_name: 'Plaintiff',
    defendant_name: 'Defendant',
    judgment_amount: 'Amount',
    filing_date: 'Filed',
  },
  isFigure: (name) => name === 'judgment_amount',
};

export const judgmentsKit = defineConsoleKit({
  name: 'judgments',
  routes: { ...noRoutes, data: [judgmentsPage, plaintiffsPage] },
  dataTabs: [
    { to: '/data/judgments', label: 'Judgments' },
    { to: '/data/plaintiffs', label: 'Plaintiffs' },
  ],
  kinds: [batch],
  run: {
    views: ['rejects', 'rows', 'reading', 'mapping'],
    reader: batchesReader,
    columns,
    Stored: lazy(() => import('./stored-judgments.tsx'), 'StoredJudgments'),
  },
  HealthPanel: lazy(() => import('./health-panel.tsx'), 'HealthPanel'),
});

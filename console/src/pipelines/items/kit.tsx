// Items: the grid of a job, the pending items of all jobs, and the catalogues that rows are matched with.
import { createRoute } from '@tanstack/react-router';
import type { RunDetail } from '../../app/api.ts';
import { data, run } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, noRoutes } from '../kit.ts';
import { readGridSearch } from './grid-search.ts';
import { jobsReader } from './jobs-reader.ts';

const gridPage = createRoute({
  getParentRoute: () => run,
  path: '/items',
  validateSearch: readGridSearch,
  component: lazy(() => import('./items-page.tsx'), 'ItemsPage'),
});

const pendingTab = createRoute({
  getParentRoute: () => run,
  path: '/pending',
  component: lazy(() => import('./pending-tab.tsx'), 'PendingTab'),
});

const pendingPage = createRoute({
  getParentRoute: () => data,
  path: '/pending',
  component: lazy(() => import('./pending-page.tsx'), 'PendingPage'),
});

const newJobPage = createRoute({
  getParentRoute: () => data,
  path: '/new-job',
  component: lazy(() => import('./new-job-page.tsx'), 'NewJobPage'),
});

const catalogsPage = createRoute({
  getParentRoute: () => data,
  path: '/catalogs',
  component: lazy(() => import('./catalogs-page.tsx'), 'CatalogsPage'),
});

/** An archive of images has no columns. */
const isOfTable = ({ input }: RunDetail) => input.job_type !== 'image';

export const itemsKit = defineConsoleKit({
  name: 'items',
  routes: { ...noRoutes, run: [gridPage, pendingTab], data: [newJobPage, pendingPage, catalogsPage] },
  dataTabs: [
    { to: '/data/new-job', label: 'New job' },
    { to: '/data/pending', label: 'Pending items' },
    { to: '/data/catalogs', label: 'Catalogues' },
  ],
  kinds: [{ name: 'items', title: 'Items', filename: /order|items|products?|price/i }],
  run: {
    views: [],
    tabs: [
      { to: '/r/$runId/items', label: 'Items' },
      { to: '/r/$runId/pending', label: 'Pending' },
      { to: '/r/$runId/reading', label: 'Reading', isShown: isOfTable },
      { to: '/r/$runId/mapping', label: 'Mapping', isShown: isOfTable },
    ],
    reader: jobsReader,
    unit: 'items',
    outcomes: {
      DONE: 'items that were found',
      NOT_FOUND: 'items without a result; you can correct and process each one again',
      ERROR: 'items that are wrong or failed for good; each says why',
      SKIPPED: 'copies of other items, or left out by the processor',
    },
    outcomeTo: '/r/$runId/items',
  },
});

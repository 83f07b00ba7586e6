// Sources: buckets, servers and folders that Millrace syncs on a schedule.
import { createRoute } from '@tanstack/react-router';
import { operate } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, noRoutes } from '../kit.ts';
import { readObjectSearch } from './object-search.ts';
import { hasSources, sourceSchedules } from './source-facts.ts';

const sourcesPage = createRoute({
  getParentRoute: () => operate,
  path: '/sources',
  component: lazy(() => import('./sources-page.tsx'), 'SourcesPage'),
});

const addPage = createRoute({
  getParentRoute: () => operate,
  path: '/sources/new',
  component: lazy(() => import('./add-source.tsx'), 'AddSource'),
});

const sourcePage = createRoute({
  getParentRoute: () => operate,
  path: '/sources/$sourceId',
  validateSearch: readObjectSearch,
  component: lazy(() => import('./source-page.tsx'), 'SourcePage'),
});

const changePage = createRoute({
  getParentRoute: () => operate,
  path: '/sources/$sourceId/change',
  component: lazy(() => import('./change-source.tsx'), 'ChangeSource'),
});

export const sourcesKit = defineConsoleKit({
  name: 'sources',
  routes: { ...noRoutes, operate: [sourcesPage, addPage, sourcePage, changePage] },
  operateTabs: [{ to: '/operate/sources', label: 'Sources', roles: ['admin', 'user'] }],
  firstStep: { key: 'source', label: 'Connect a bucket, server or folder', to: '/operate/sources', isDone: hasSources },
  schedules: sourceSchedules,
  run: {
    views: [],
    unit: 'objects',
    outcomes: {
      new: 'new objects, or objects that came back; each became a run',
      changed: 'objects with other bytes than before; each became a run',
      unchanged: 'as they were',
      refused: 'refused objects; each has its reason',
    },
  },
});

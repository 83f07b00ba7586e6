// The console's addresses. Each page is its own chunk; what a page shows is in its address, so a link shows the same thing.
import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter } from '@tanstack/react-router';
import { SignInPage } from '../features/auth/sign-in-page.tsx';
import { readRejectSearch } from '../features/rejects/reject-search.ts';
import { readRunFilters } from '../features/runs/run-filters.ts';
import { kitRoutes } from '../pipelines/all.ts';
import { LoadingLines } from '../ui/states.tsx';
import { FaultPage, NotFoundPage } from './fault-page.tsx';
import { data, operate, root, run, shell } from './frame.ts';
import { lazyPage as lazy } from './lazy-page.ts';
import { Shell } from './shell.tsx';

root.update({ notFoundComponent: NotFoundPage, errorComponent: FaultPage });
shell.update({ component: Shell });
run.update({ component: lazy(() => import('../features/run/run-page.tsx'), 'RunPage') });
data.update({ component: lazy(() => import('../features/data/data-layout.tsx'), 'DataLayout') });
operate.update({ component: lazy(() => import('../features/operate/operate-layout.tsx'), 'OperateLayout') });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === 'string' ? { next: search.next } : {},
  component: SignInPage,
});

const password = createRoute({
  getParentRoute: () => root,
  path: '/settings/password',
  component: lazy(() => import('../features/auth/password-page.tsx'), 'PasswordPage'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazy(() => import('../features/home/home-page.tsx'), 'HomePage'),
});

const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: readRunFilters,
  component: lazy(() => import('../features/runs/runs-page.tsx'), 'RunsPage'),
});

const runOverview = createRoute({
  getParentRoute: () => run,
  path: '/',
  component: lazy(() => import('../features/run/overview.tsx'), 'Overview'),
});

const runRejects = createRoute({
  getParentRoute: () => run,
  path: '/rejects',
  validateSearch: readRejectSearch,
  component: lazy(() => import('../features/rejects/rejects-page.tsx'), 'RejectsPage'),
});

const runRows = createRoute({
  getParentRoute: () => run,
  path: '/rows',
  validateSearch: (search: Record<string, unknown>): { outcome?: string } =>
    typeof search.outcome === 'string' ? { outcome: search.outcome } : {},
  component: lazy(() => import('../features/run/stored-rows.tsx'), 'StoredRows'),
});

const runDetails = createRoute({
  getParentRoute: () => run,
  path: '/details',
  component: lazy(() => import('../features/run/details.tsx'), 'Details'),
});

const runReading = createRoute({
  getParentRoute: () => run,
  path: '/reading',
  component: lazy(() => import('../features/reading/reading-page.tsx'), 'ReadingPage'),
});

const runMapping = createRoute({
  getParentRoute: () => run,
  path: '/mapping',
  component: lazy(() => import('../features/mapping/mapping-page.tsx'), 'MappingPage'),
});

const operatePages = [
  createRoute({
    getParentRoute: () => operate,
    path: '/',
    component: lazy(() => import('../features/operate/queue-page.tsx'), 'QueuePage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/workers',
    component: lazy(() => import('../features/operate/workers-page.tsx'), 'WorkersPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/schedules',
    component: lazy(() => import('../features/operate/schedules-page.tsx'), 'SchedulesPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/dead-letters',
    component: lazy(() => import('../features/operate/dead-letters-page.tsx'), 'DeadLettersPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/alerts',
    validateSearch: (search: Record<string, unknown>): { status?: 'resolved' } =>
      search.status === 'resolved' ? { status: 'resolved' } : {},
    component: lazy(() => import('../features/alerts/alerts-page.tsx'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/webhooks',
    component: lazy(() => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/webhooks/$endpointId',
    validateSearch: (search: Record<string, unknown>): { status?: string } =>
      typeof search.status === 'string' ? { status: search.status } : {},
    component: lazy(() => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/clients',
    component: lazy(() => import('../features/operate/clients-page.tsx'), 'ClientsPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/support',
    component: lazy(() => import('../features/operate/support-page.tsx'), 'SupportPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/people',
    component: lazy(() => import('../features/operate/people-page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/keys',
    component: lazy(() => import('../features/operate/keys-page.tsx'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/audit',
    component: lazy(() => import('../features/operate/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => operate,
    path: '/health',
    component: lazy(() => import('../features/operate/health-page.tsx'), 'HealthPage'),
  }),
] as const;

/** An address that leads nowhere keeps the frame, so that the way on is in sight. */
const unknown = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage });

const routeTree = root.addChildren([
  signIn,
  password,
  shell.addChildren([
    home,
    runs,
    run.addChildren([runOverview, runRejects, runRows, runReading, runMapping, runDetails, ...kitRoutes.run]),
    data.addChildren(kitRoutes.data),
    operate.addChildren([...operatePages, ...kitRoutes.operate]),
    ...kitRoutes.shell,
    unknown,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingMs: 250,
    defaultPendingComponent: LoadingLines,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

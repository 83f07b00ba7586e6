// The console's addresses. Each page is its own chunk; what a page shows is in its address, so a link shows the same thing.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
} from '@tanstack/react-router';
import { SignInPage } from '../features/auth/sign-in-page.tsx';
import { readDataSearch } from '../features/data/data-search.ts';
import { readJudgmentSearch } from '../features/data/judgment-search.ts';
import { readRejectSearch } from '../features/rejects/reject-search.ts';
import { readRunFilters } from '../features/runs/run-filters.ts';
import { LoadingLines } from '../ui/states.tsx';
import { hasCode } from './api.ts';
import { FaultPage, NotFoundPage } from './fault-page.tsx';
import { meQuery } from './session.ts';
import { Shell } from './shell.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  notFoundComponent: NotFoundPage,
  errorComponent: FaultPage,
});

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

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    try {
      const me = await context.queryClient.ensureQueryData(meQuery);
      if (me.must_change_password) throw redirect({ to: '/settings/password' });
    } catch (error) {
      if (hasCode(error, 'unauthenticated')) throw redirect({ to: '/login', search: { next: location.href } });
      throw error;
    }
  },
  component: Shell,
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

const run = createRoute({
  getParentRoute: () => shell,
  path: '/r/$runId',
  component: lazy(() => import('../features/run/run-page.tsx'), 'RunPage'),
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

const data = createRoute({
  getParentRoute: () => shell,
  path: '/data',
  component: lazy(() => import('../features/data/data-layout.tsx'), 'DataLayout'),
});

const dataAds = createRoute({
  getParentRoute: () => data,
  path: '/',
  validateSearch: readDataSearch,
  component: lazy(() => import('../features/data/data-page.tsx'), 'DataPage'),
});

const dataJudgments = createRoute({
  getParentRoute: () => data,
  path: '/judgments',
  validateSearch: readJudgmentSearch,
  component: lazy(() => import('../features/data/judgments-page.tsx'), 'JudgmentsPage'),
});

const dataPlaintiffs = createRoute({
  getParentRoute: () => data,
  path: '/plaintiffs',
  component: lazy(() => import('../features/data/plaintiffs-page.tsx'), 'PlaintiffsPage'),
});

const operate = createRoute({
  getParentRoute: () => shell,
  path: '/operate',
  component: lazy(() => import('../features/operate/operate-layout.tsx'), 'OperateLayout'),
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
    path: '/connectors',
    component: lazy(() => import('../features/operate/connectors-page.tsx'), 'ConnectorsPage'),
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

const routeTree = root.addChildren([
  signIn,
  password,
  shell.addChildren([
    home,
    runs,
    run.addChildren([runOverview, runRejects, runRows, runReading, runMapping]),
    data.addChildren([dataAds, dataJudgments, dataPlaintiffs]),
    operate.addChildren(operatePages),
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

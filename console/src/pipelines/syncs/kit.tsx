// Airbyte connections that are synced on schedule. Airbyte refuses or takes the records: a sync has no rejects and no rows here.
import { createRoute } from '@tanstack/react-router';
import { operate } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, noRoutes } from '../kit.ts';
import { connectorSchedules, hasConnectors } from './connector-facts.ts';

const connectorsPage = createRoute({
  getParentRoute: () => operate,
  path: '/connectors',
  component: lazy(() => import('./connectors-page.tsx'), 'ConnectorsPage'),
});

export const syncsKit = defineConsoleKit({
  name: 'syncs',
  routes: { ...noRoutes, operate: [connectorsPage] },
  operateTabs: [{ to: '/operate/connectors', label: 'Connectors', roles: ['admin', 'user'] }],
  firstStep: { key: 'connect', label: 'Connect Airbyte', to: '/operate/connectors', isDone: hasConnectors },
  schedules: connectorSchedules,
  run: { views: [], unit: 'records' },
  HealthPanel: lazy(() => import('./health-panel.tsx'), 'HealthPanel'),
});

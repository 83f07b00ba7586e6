// The routes that other pages stand under. Their components are given in router.tsx, so that a kit can add its pages here without
// importing what shows them.
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { hasCode } from './api.ts';
import { meQuery } from './session.ts';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({});

export const shell = createRoute({
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
});

export const run = createRoute({ getParentRoute: () => shell, path: '/r/$runId' });
export const data = createRoute({ getParentRoute: () => shell, path: '/data' });
export const operate = createRoute({ getParentRoute: () => shell, path: '/operate' });

import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Attention, countShown, useAttention } from '../../app/attention.ts';
import { useMe } from '../../app/session.ts';
import { kits } from '../../pipelines/all.ts';
import type { OperateTab } from '../../pipelines/kit.ts';
import { Badge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { TabBar } from '../../ui/tab-bar.tsx';
import { tabClass } from '../../ui/tabs.ts';

const pages: readonly OperateTab[] = [
  { to: '/operate', label: 'Queue', roles: ['admin', 'user'], exact: true },
  { to: '/operate/workers', label: 'Workers', roles: ['admin', 'user'] },
  { to: '/operate/schedules', label: 'Schedules', roles: ['admin', 'user'] },
  ...kits.flatMap(({ operateTabs = [] }) => operateTabs),
  { to: '/operate/dead-letters', label: 'Dead letters', roles: ['admin', 'support'] },
  { to: '/operate/alerts', label: 'Alerts', roles: ['admin', 'user'] },
  { to: '/operate/webhooks', label: 'Webhooks', roles: ['admin', 'user'] },
  { to: '/operate/people', label: 'People', roles: ['admin'] },
  { to: '/operate/support', label: 'Support', roles: ['admin'] },
  { to: '/operate/clients', label: 'Clients', roles: ['admin', 'user'] },
  { to: '/operate/keys', label: 'API keys', roles: ['admin'] },
  { to: '/operate/audit', label: 'Audit', roles: ['admin'] },
  { to: '/operate/health', label: 'Health', roles: ['admin', 'user'] },
];

function waitingOf(to: string, { alerts, deadLetters }: Attention) {
  const count = to === '/operate/alerts' ? alerts : to === '/operate/dead-letters' ? deadLetters : 0;
  return { count, text: countShown(count), what: 'open' };
}

/** The operator's pages. A page a role may not open is not offered; opened by address, it says whom to ask. */
export function OperateLayout(): ReactNode {
  const { role } = useMe();
  const attention = useAttention();
  return (
    <Page title="Operate">
      <TabBar label="Operate">
        {pages
          .filter((page) => page.roles.some((each) => each === role))
          .map((page) => (
            <Link
              key={page.to}
              to={page.to}
              activeOptions={{ exact: page.exact ?? false, includeSearch: false }}
              className={tabClass}
            >
              {page.label} <Badge {...waitingOf(page.to, attention)} />
            </Link>
          ))}
      </TabBar>
      <Outlet />
    </Page>
  );
}

import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { tabClass } from '../../ui/tabs.ts';

const pages = [
  { to: '/operate', label: 'Queue', roles: ['admin', 'user'] },
  { to: '/operate/workers', label: 'Workers', roles: ['admin', 'user'] },
  { to: '/operate/schedules', label: 'Schedules', roles: ['admin', 'user'] },
  { to: '/operate/connectors', label: 'Connectors', roles: ['admin', 'user'] },
  { to: '/operate/dead-letters', label: 'Dead letters', roles: ['admin', 'support'] },
  { to: '/operate/people', label: 'People', roles: ['admin'] },
  { to: '/operate/keys', label: 'API keys', roles: ['admin'] },
  { to: '/operate/audit', label: 'Audit', roles: ['admin'] },
  { to: '/operate/health', label: 'Health', roles: ['admin', 'user'] },
] as const;

/** The operator's pages. A page a role may not open is not offered; opened by address, it says whom to ask. */
export function OperateLayout(): ReactNode {
  const { role } = useMe();
  return (
    <Page title="Operate">
      <nav aria-label="Operate" className="-mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
        {pages
          .filter((page) => page.roles.some((each) => each === role))
          .map((page) => (
            <Link key={page.to} to={page.to} activeOptions={{ exact: true }} className={tabClass}>
              {page.label}
            </Link>
          ))}
      </nav>
      <Outlet />
    </Page>
  );
}

import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMe } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';

const pages = [
  { to: '/operate', label: 'Queue', roles: ['admin', 'user'] },
  { to: '/operate/workers', label: 'Workers', roles: ['admin', 'user'] },
  { to: '/operate/schedules', label: 'Schedules', roles: ['admin', 'user'] },
  { to: '/operate/dead-letters', label: 'Dead letters', roles: ['admin', 'support'] },
  { to: '/operate/people', label: 'People', roles: ['admin'] },
  { to: '/operate/keys', label: 'API keys', roles: ['admin'] },
  { to: '/operate/audit', label: 'Audit', roles: ['admin'] },
  { to: '/operate/health', label: 'Health', roles: ['admin', 'user'] },
] as const;

const tab =
  'border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-ink-2 hover:text-ink data-[status=active]:border-water data-[status=active]:font-medium data-[status=active]:text-ink';

/** The operator's pages. A page a role may not open is not offered; opened by address, it says whom to ask. */
export function OperateLayout(): ReactNode {
  const { role } = useMe();
  return (
    <Page title="Operate">
      <nav aria-label="Operate" className="-mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
        {pages
          .filter((page) => page.roles.some((each) => each === role))
          .map((page) => (
            <Link key={page.to} to={page.to} activeOptions={{ exact: true }} className={tab}>
              {page.label}
            </Link>
          ))}
      </nav>
      <Outlet />
    </Page>
  );
}

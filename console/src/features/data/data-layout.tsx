import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { tabClass } from '../../ui/tabs.ts';

/** What is stored, one tab per kind of thing. */
export function DataLayout(): ReactNode {
  return (
    <Page title="Data">
      <nav aria-label="Data" className="-mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
        <Link to="/data" activeOptions={{ exact: true, includeSearch: false }} search={{}} className={tabClass}>
          Ads
        </Link>
        <Link to="/data/judgments" search={{}} activeOptions={{ includeSearch: false }} className={tabClass}>
          Judgments
        </Link>
        <Link to="/data/plaintiffs" className={tabClass}>
          Plaintiffs
        </Link>
      </nav>
      <Outlet />
    </Page>
  );
}

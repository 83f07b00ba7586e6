import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { kits } from '../../pipelines/all.ts';
import { Page } from '../../ui/page.tsx';
import { tabClass } from '../../ui/tabs.ts';

const tabs = kits.flatMap(({ dataTabs = [] }) => dataTabs);

/** What is stored, one tab per kind of thing. */
export function DataLayout(): ReactNode {
  return (
    <Page title="Data">
      <nav aria-label="Data" className="-mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
        {tabs.map(({ to, label, exact = false }) => (
          <Link key={to} to={to} search={{}} activeOptions={{ exact, includeSearch: false }} className={tabClass}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}

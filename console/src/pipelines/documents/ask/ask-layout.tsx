import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../../ui/page.tsx';
import { TabBar } from '../../../ui/tab-bar.tsx';
import { tabClass } from '../../../ui/tabs.ts';

const tabs = [
  { to: '/ask', label: 'Ask', exact: true },
  { to: '/ask/search', label: 'Search', exact: false },
  { to: '/ask/questions', label: 'Questions', exact: false },
] as const;

/** Everything that is answered from documents: a question, words to find, and what was asked before. */
export function AskLayout(): ReactNode {
  return (
    <Page title="Ask">
      <TabBar label="Ask">
        {tabs.map(({ to, label, exact }) => (
          <Link key={to} to={to} search={{}} activeOptions={{ exact, includeSearch: false }} className={tabClass}>
            {label}
          </Link>
        ))}
      </TabBar>
      <Outlet />
    </Page>
  );
}

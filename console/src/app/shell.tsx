// The frame around every page: where you can go, who you are, whether the page is live, and uploads under way.
import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Tray } from '../features/tray/tray.tsx';
import { WindowDrop } from '../features/tray/window-drop.tsx';
import { kits } from '../pipelines/all.ts';
import type { Place } from '../pipelines/kit.ts';
import { Badge } from '../ui/badge.tsx';
import { plural } from '../ui/figures.ts';
import { Icon } from '../ui/icons.tsx';
import { LoadingLines } from '../ui/states.tsx';
import { Wordmark } from '../ui/wordmark.tsx';
import { AccountMenu } from './account-menu.tsx';
import { countShown, useAttention } from './attention.ts';
import { AwayBanner } from './away-banner.tsx';
import { LiveMark } from './live-mark.tsx';
import { useMe } from './session.ts';
import { useLiveFeed } from './use-live.ts';

const places: readonly Place[] = [
  { to: '/', label: 'Drop', icon: 'home' },
  { to: '/runs', label: 'Runs', icon: 'list' },
  { to: '/data', label: 'Data', icon: 'table' },
  ...kits.flatMap((kit) => kit.places ?? []),
  { to: '/operate', label: 'Operate', icon: 'gauge' },
];

/** How much waits for a person behind a link of the frame. */
function Waiting(): ReactNode {
  const { alerts, deadLetters } = useAttention();
  const parts = [plural(alerts, 'open alert'), plural(deadLetters, 'dead letter')];
  const what = parts.filter((_, index) => [alerts, deadLetters][index] !== 0).join(', ');
  return <Badge count={alerts + deadLetters} text={countShown(alerts + deadLetters)} what={what} />;
}

export function Shell(): ReactNode {
  const me = useMe();
  useLiveFeed(me.role !== 'support');
  return (
    <div className="flex min-h-dvh flex-col pb-14 md:pb-0">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to the content
      </a>
      <AwayBanner />
      <header className="sticky top-0 z-30 border-b border-line bg-surface">
        <div className="mx-auto flex h-12 max-w-[90rem] items-center gap-5 px-4 md:px-6">
          <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight">
            <Wordmark />
            Millrace
          </Link>
          <nav
            aria-label="Main"
            className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface md:static md:gap-1 md:border-0"
          >
            {places.map((place) => (
              <Link
                key={place.to}
                to={place.to}
                search={{}}
                activeOptions={{ exact: place.to === '/', includeSearch: false }}
                className="flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 px-3 text-xs text-ink-2 hover:text-ink data-[status=active]:font-medium data-[status=active]:text-water-strong data-[status=active]:shadow-[inset_0_2px_0_var(--water)] md:min-h-12 md:flex-none md:flex-row md:text-sm md:data-[status=active]:shadow-[inset_0_-2px_0_var(--water)]"
              >
                <Icon name={place.icon} className="md:hidden" />
                <span>
                  {place.label} {place.to === '/operate' && <Waiting />}
                </span>
              </Link>
            ))}
          </nav>
          <div className="ml-auto flex min-w-0 items-center gap-3">
            {me.role !== 'support' && <LiveMark />}
            <span
              className="hidden truncate text-xs text-ink-2 sm:block"
              title={`Tenant ${me.tenant.name}, plan ${me.tenant.plan}`}
            >
              {me.tenant.name}
            </span>
            <AccountMenu />
          </div>
        </div>
      </header>
      <main id="content" className="flex flex-1 flex-col">
        <Suspense fallback={<LoadingLines lines={8} />}>
          <Outlet />
        </Suspense>
      </main>
      <Tray />
      <WindowDrop mayUpload={me.role !== 'support'} />
    </div>
  );
}

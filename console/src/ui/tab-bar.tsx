import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

/** Links to the views of a page, in one line. On a narrow screen it scrolls sideways, and the current one is brought into sight. */
export function TabBar({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const bar = useRef<HTMLElement>(null);
  const place = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place has another current tab
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>('[data-status=active]');
    if (bar.current && current) bar.current.scrollLeft = current.offsetLeft - bar.current.clientWidth / 3;
  }, [place]);
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="relative -mx-4 flex overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0"
    >
      {children}
    </nav>
  );
}

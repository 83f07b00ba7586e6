import { type ReactNode, useEffect } from 'react';

/** A page's frame: its title (also of the tab), what can be done, and the content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  usePageTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-[90rem] flex-col gap-4 px-4 py-5 md:px-6">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          <h1 className="text-xl">{title}</h1>
          {lead && <div className="mt-0.5 text-ink-2">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
}

export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}): ReactNode {
  return (
    <section aria-label={title} className={`card flex min-w-0 flex-col ${className}`}>
      <div className="flex min-h-10 items-center justify-between gap-3 border-b border-line px-4 py-1.5">
        <h2 className="text-sm">{title}</h2>
        {aside && <div className="text-xs text-ink-2">{aside}</div>}
      </div>
      <div className="min-w-0 flex-1">{children}</div>
    </section>
  );
}

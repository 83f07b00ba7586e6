// The four states a page may be in besides showing its content: empty, loading, failed, denied. Each says what to do.

import type { ReactNode } from 'react';
import { problemOf } from '../app/api.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icons.tsx';
import { numbersTo } from './numbers-to.ts';

export function EmptyState({
  icon = 'wave',
  title,
  page = false,
  children,
}: {
  icon?: IconName;
  title: string;
  /** It stands for a whole page, so its title is the page's heading. */
  page?: boolean;
  children?: ReactNode;
}): ReactNode {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-12 text-center">
      <Icon name={icon} className="size-7! text-ink-3" />
      {page ? <h1 className="text-lg">{title}</h1> : <p className="text-lg font-medium">{title}</p>}
      {children && <div className="text-ink-2">{children}</div>}
    </div>
  );
}

export function LoadingLines({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }): ReactNode {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4">
      {numbersTo(lines).map((line) => (
        <div key={line} className={`skeleton h-4 ${line % 3 === 2 ? 'w-2/5' : line % 2 === 1 ? 'w-4/5' : 'w-full'}`} />
      ))}
    </div>
  );
}

/** What went wrong, what to do, and the id to quote. A refusal for lack of rights is shown as such, not as an error. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }): ReactNode {
  const problem = problemOf(error);
  if (problem.status === 501)
    return (
      <EmptyState icon="clock" title="Not part of this installation">
        <p>{problem.detail}</p>
      </EmptyState>
    );
  if (problem.status === 403) return <Denied detail={problem.detail} next={problem.next} />;
  return (
    <div role="alert" className="m-1 flex flex-col gap-1 rounded-md border border-bad bg-bad-soft px-4 py-3">
      <p className="flex items-center gap-2 font-medium">
        <Icon name="warn" className="text-bad" />
        {problem.detail}
      </p>
      <p className="text-ink-2">{problem.next}</p>
      <p className="mt-1 flex flex-wrap items-center gap-2 text-xs text-ink-2">
        <code className="figures">{problem.code}</code>
        {problem.correlation_id && (
          <>
            <span aria-hidden="true">·</span>
            <span>quote</span>
            <CopyButton text={problem.correlation_id} what="correlation id" />
          </>
        )}
        {onRetry && (
          <Button small look="plain" icon="replay" onClick={onRetry}>
            Try again
          </Button>
        )}
      </p>
    </div>
  );
}

function Denied({ detail, next }: { detail: string; next: string }): ReactNode {
  return (
    <div role="alert">
      <EmptyState icon="stop" title="Not for your role">
        <p>{detail}</p>
        <p>{next}</p>
      </EmptyState>
    </div>
  );
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState, ProblemNote } from '../ui/states.tsx';

export function FaultPage({ error, reset }: { error: unknown; reset?: () => void }): ReactNode {
  return (
    <main className="mx-auto max-w-2xl px-4 py-16">
      <ProblemNote error={error} onRetry={reset ?? (() => location.reload())} />
    </main>
  );
}

export function NotFoundPage(): ReactNode {
  return (
    <div className="py-16">
      <EmptyState icon="search" title="There is nothing at this address" page>
        <Link to="/" className="link">
          Go to the drop zone
        </Link>
      </EmptyState>
    </div>
  );
}

import type { ReactNode } from 'react';

export function Wordmark({ className = 'size-6' }: { className?: string }): ReactNode {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--water)" />
      <g fill="none" stroke="var(--on-water)" strokeWidth="2.6" strokeLinecap="round">
        <path d="M6 11c3.400-3 6.600-3 10 0s6.600 3 10 0" />
        <path d="M6 17.500c3.400-3 6.600-3 10 0s6.600 3 10 0" opacity=".8" />
        <path d="M6 24c3.400-3 6.600-3 10 0s6.600 3 10 0" opacity=".55" />
      </g>
    </svg>
  );
}

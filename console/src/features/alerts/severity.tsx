import type { ReactNode } from 'react';
import type { AlertSeverity } from '../../../../src/contract/api/alert-metrics.ts';

const looks: Record<AlertSeverity, { mark: string; look: string }> = {
  INFO: { mark: '·', look: 'border-line-strong text-ink-2' },
  WARNING: { mark: '▲', look: 'border-warn bg-warn-soft text-warn' },
  ERROR: { mark: '✕', look: 'border-bad bg-bad-soft text-bad' },
  CRITICAL: { mark: '■', look: 'border-bad bg-bad text-on-bad' },
};

export function Severity({ severity }: { severity: AlertSeverity }): ReactNode {
  const { mark, look } = looks[severity];
  return (
    <span className={`inline-flex items-center gap-1 rounded-full border px-2 py-px text-xs font-medium ${look}`}>
      <span aria-hidden="true">{mark}</span> {severity.toLowerCase()}
    </span>
  );
}

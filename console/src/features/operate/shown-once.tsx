import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';

/** A secret that is shown this once and never again. */
export function ShownOnce({ what, secret }: { what: string; secret: string }): ReactNode {
  return (
    <div role="status" className="rounded-md border border-warn bg-warn-soft px-4 py-3">
      <p className="font-medium">{what} is shown once. Copy it now.</p>
      <p className="mt-1 flex items-center gap-2">
        <code className="figures text-sm wrap-anywhere">{secret}</code>
        <CopyButton text={secret} what={what} show="copy" />
      </p>
    </div>
  );
}

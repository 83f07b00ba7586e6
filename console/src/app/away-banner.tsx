import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Icon } from '../ui/icons.tsx';
import { onServerBack, useServerAway } from './reachability.ts';

/** Says that the server is away, on whatever page; when it is back, the page and its data are asked for again. */
export function AwayBanner(): ReactNode {
  const isAway = useServerAway();
  const client = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      onServerBack(() => {
        void client.invalidateQueries();
        void router.invalidate();
      }),
    [client, router],
  );
  if (!isAway) return null;
  return (
    <p
      role="alert"
      className="sticky top-0 z-40 flex items-center justify-center gap-2 border-b border-warn bg-warn-soft px-4 py-2 text-sm"
    >
      <Icon name="warn" className="breathing text-warn" />
      <span>
        <strong>The server does not answer.</strong> You see the last known state; stored data is safe. This page
        continues by itself when the server is back.
      </span>
    </p>
  );
}

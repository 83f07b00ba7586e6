// Loads the next page when the end of a list becomes visible.
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';

interface Props {
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  readonly onMore: () => void;
}

export function ScrollOn({ hasMore, isBusy, onMore }: Props): ReactNode {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mark = end.current;
    if (mark === null || !hasMore || isBusy) return undefined;
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) onMore();
    });
    watch.observe(mark);
    return () => watch.disconnect();
  }, [hasMore, isBusy, onMore]);
  return hasMore ? (
    <div ref={end} className="flex justify-center border-t border-line p-3">
      <Button busy={isBusy} onClick={onMore}>
        Show more
      </Button>
    </div>
  ) : null;
}

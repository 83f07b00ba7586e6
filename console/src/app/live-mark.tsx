import type { ReactNode } from 'react';
import type { LiveState } from './live-feed.ts';
import { useLiveState } from './use-live.ts';

const words: Record<LiveState, { text: string; title: string; mark: string; look: string }> = {
  live: { text: 'Live', title: 'Changes appear as they happen', mark: '●', look: 'text-good' },
  connecting: { text: 'Connecting', title: 'Connecting to live updates', mark: '◌', look: 'text-ink-3' },
  lost: {
    text: 'Reconnecting',
    title: 'The server does not answer. What you see is the last known state; nothing is lost.',
    mark: '◍',
    look: 'text-warn',
  },
  off: { text: 'Paused', title: 'Live updates pause while this tab is hidden', mark: '○', look: 'text-ink-3' },
};

/** Says whether what is on screen follows the server. */
export function LiveMark(): ReactNode {
  const state = useLiveState();
  const word = words[state];
  return (
    <span
      role="status"
      title={word.title}
      className={`inline-flex items-center gap-1 text-xs whitespace-nowrap ${word.look}`}
    >
      <span aria-hidden="true" className={state === 'lost' ? 'breathing' : ''}>
        {word.mark}
      </span>
      {word.text}
    </span>
  );
}

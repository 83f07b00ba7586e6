import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icons.tsx';

/** Shows an id, shortened, and copies the whole of it. */
export function CopyButton({ text, what, show }: { text: string; what: string; show?: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="inline-flex items-center gap-1 rounded px-1 text-ink-2 hover:bg-sunken hover:text-ink"
      title={text}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
    >
      <code className="figures text-xs">{show ?? shorten(text)}</code>
      <Icon name={copied ? 'check' : 'copy'} className="size-3.5!" />
      <span className="sr-only" aria-live="polite">
        {copied ? 'Copied' : `Copy ${what}`}
      </span>
    </button>
  );
}

function shorten(text: string): string {
  return text.length > 14 ? `…${text.slice(-8)}` : text;
}

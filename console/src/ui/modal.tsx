// Dialogs and drawers on the browser's own <dialog>: it traps focus, closes on Escape and needs no injected style.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icons.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly side?: boolean;
  /** Room for a page of a document. */
  readonly wide?: boolean;
}

export function Modal({ title, onClose, children, side = false, wide = false }: Props): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const shape = side
    ? 'mr-0 h-dvh max-h-dvh w-[min(30rem,100vw)] max-w-none border-l'
    : `${wide ? 'w-[min(52rem,calc(100vw-1rem))] max-h-[92dvh]' : 'w-[min(34rem,calc(100vw-2rem))] max-h-[85dvh]'} rounded-lg border`;
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`${shape} border-line-strong bg-surface p-0 shadow-2xl`}
    >
      <div className="flex max-h-[inherit] flex-col">
        <div className="sticky top-0 flex items-center justify-between gap-4 border-b border-line bg-surface px-5 py-3">
          <h2 id={titleId} className="text-lg first-letter:uppercase">
            {title}
          </h2>
          <button type="button" onClick={onClose} className="rounded p-1 text-ink-2 hover:bg-sunken" aria-label="Close">
            <Icon name="cross" />
          </button>
        </div>
        <div className="overflow-y-auto px-5 py-4">{children}</div>
      </div>
    </dialog>
  );
}

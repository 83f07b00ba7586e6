// j and k move through a list, Enter opens, x selects, / goes to the search field. Keys typed into a field are left alone.
import { type RefObject, useEffect, useState } from 'react';

interface Options {
  readonly length: number;
  readonly onOpen: (index: number) => void;
  readonly onToggle: (index: number) => void;
  readonly search: RefObject<HTMLInputElement | null>;
}

export function useListKeys({ length, onOpen, onToggle, search }: Options): number {
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      const field =
        event.target instanceof Element ? event.target.closest('input:not([type=checkbox]), textarea, select') : null;
      if (field) {
        if (event.key === 'Escape' && field instanceof HTMLElement) field.blur();
        return;
      }
      if (event.key === '/') {
        event.preventDefault();
        search.current?.focus();
      }
      if (event.key === 'j') setCurrent((now) => Math.min(length - 1, now + 1));
      if (event.key === 'k') setCurrent((now) => Math.max(0, now - 1));
      if (event.key === 'x' && current >= 0) onToggle(current);
      if (
        event.key === 'Enter' &&
        current >= 0 &&
        !(event.target instanceof Element && event.target.closest('a, button'))
      )
        onOpen(current);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [length, onOpen, onToggle, search, current]);
  return Math.min(current, length - 1);
}

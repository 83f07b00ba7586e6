// Light, dark or as the system says. The choice is kept in this browser only.
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'millrace.theme';
const listeners = new Set<() => void>();

export function readTheme(): Theme {
  const kept = localStorage.getItem(key);
  return themes.find((theme) => theme === kept) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(key);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(key, theme);
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  listeners.add(listener);
  media.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    media.removeEventListener('change', listener);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

/** A value that changes whenever the colours on screen do; charts redraw on it. */
export function usePalette(): string {
  return useSyncExternalStore(
    subscribe,
    () => `${readTheme()}:${matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'}`,
  );
}

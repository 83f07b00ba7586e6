// A page whose script is fetched when it is first shown. When the script cannot be fetched, the server is away or has a newer version: the
// page waits until the server answers and then loads again, instead of leaving the browser on a page of its own.
import { lazyRouteComponent } from '@tanstack/react-router';
import { noteFailure, whenBack } from './reachability.ts';

// biome-ignore lint/suspicious/noExplicitAny: as lazyRouteComponent itself is typed
type Module = Record<string, any>;

export function lazyPage<T extends Module, Name extends keyof T>(load: () => Promise<T>, name: Name) {
  return lazyRouteComponent<T, Name>(() => load().catch(loadAnew), name);
}

async function loadAnew(error: unknown): Promise<never> {
  noteFailure(error);
  await whenBack();
  location.reload();
  // The page is about to go: until then it stays as it is.
  return new Promise<never>(() => undefined);
}

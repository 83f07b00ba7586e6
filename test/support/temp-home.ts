// A temporary MILLRACE_HOME. Unlike mkdtemp's own folders it can be entered by everybody: when the tests run as root, the
// embedded server runs as another user.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export function makeTempHome(name = 'home'): string {
  const home = mkdtempSync(path.join(tmpdir(), `millrace-${name}-`));
  chmodSync(home, 0o755);
  return home;
}

export function removeTempHome(home: string): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}

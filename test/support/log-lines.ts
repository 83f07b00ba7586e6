// A log whose lines are kept as objects, exactly as they would be written.
import { createLog, type Log } from '../../src/platform/log.ts';

export function keepLines(level: 'info' | 'debug' = 'info'): {
  readonly log: Log;
  readonly lines: readonly Record<string, unknown>[];
} {
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) => {
    for (const line of text.trim().split('\n')) lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  return { log: createLog({ level, format: 'json', logFilenames: false, destination: { write } }), lines };
}

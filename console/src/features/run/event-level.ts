// The level of an event, and its data in one line.
import type { RunEvent } from '../../app/api.ts';

export const levels = ['info', 'warning', 'error'] as const;
export type Level = (typeof levels)[number];

export function levelOf(event: Pick<RunEvent, 'type' | 'data'>): Level {
  const given = event.data.level;
  if (given === 'error' || given === 'warning' || given === 'info') return given;
  if (/(failed|\.fail|dead|lost|error)/.test(event.type)) return 'error';
  if (/(taken_over|released|retry|retried|held|cancel|shrunk|partial|warn|reject)/.test(event.type)) return 'warning';
  return 'info';
}

export function oneLine(data: RunEvent['data']): string {
  return Object.entries(data)
    .filter(([name, value]) => name !== 'level' && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join('  ');
}

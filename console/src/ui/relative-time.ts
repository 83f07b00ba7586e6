// "4 min ago" and the exact moment behind it, in the viewer's zone.
const steps: readonly (readonly [limitMs: number, unitMs: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [45_000, 1_000, 'second'],
  [45 * 60_000, 60_000, 'minute'],
  [22 * 3_600_000, 3_600_000, 'hour'],
  [26 * 86_400_000, 86_400_000, 'day'],
  [320 * 86_400_000, 30 * 86_400_000, 'month'],
  [Number.POSITIVE_INFINITY, 365 * 86_400_000, 'year'],
];

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle: 'h23',
});
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

export function relativeTime(at: string, nowMs: number): string {
  const away = Date.parse(at) - nowMs;
  if (Math.abs(away) < 3_000) return 'just now';
  const step = steps.find(([limit]) => Math.abs(away) < limit);
  return step ? words.format(Math.round(away / step[1]), step[2]) : at;
}

export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

export function clockTime(at: string): string {
  return clock.format(new Date(at));
}

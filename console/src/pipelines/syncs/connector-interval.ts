// How often a connector is synced, as a person types it: whole hours, or nothing for as often as the plan allows.
const HOUR = 3_600;

export const intervalHint = 'Left empty: as often as your plan allows.';

export function secondsOf(hours: string): number | null {
  return hours.trim() === '' ? null : Math.round(Number(hours) * HOUR);
}

export function hoursOf(seconds: number | null): string {
  return seconds === null ? '' : String(Math.round((seconds / HOUR) * 100) / 100);
}

/** "every 6 h", "every day". */
export function everyOf(seconds: number): string {
  if (seconds === 24 * HOUR) return 'every day';
  return seconds < 48 * HOUR ? `every ${hoursOf(seconds)} h` : `every ${Math.round(seconds / HOUR / 24)} days`;
}

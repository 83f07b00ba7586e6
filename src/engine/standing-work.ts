// When the engine counts as making no progress: one definition for doctor and /ready.
import type { WorkSigns } from './reads/read-signs.ts';

/** An end is written within a second when all is well. */
const OLD_END_S = 120;

/** A sentence, or undefined when work moves on. */
export function whatStands(signs: WorkSigns, noEndMinutes: number): string | undefined {
  const { no_end_s: noEndS, oldest_end_s: oldestEndS, ends_waiting: waiting } = signs;
  if (noEndS !== null && noEndS >= noEndMinutes * 60)
    return `there is work, and no run has ended or moved for ${inWords(noEndS)}`;
  if (oldestEndS !== null && oldestEndS >= OLD_END_S)
    return `${waiting === 1 ? 'the end of a run waits' : `the ends of ${waiting} runs wait`} to be written down, the oldest for ${inWords(oldestEndS)}`;
  return undefined;
}

function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} minutes`;
  return `${Math.floor(minutes / 60)} hours`;
}

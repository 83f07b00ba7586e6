// How many of something a rule is tried on: few in every `npm test`, the number that the bar names with MILLRACE_FULL_DOSE=1.
export function dose(few: number, full: number): number {
  return process.env.MILLRACE_FULL_DOSE === '1' ? full : few;
}

// The slope of a noisy series, and how far it may be off.

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Neighbouring samples of a process's memory say the same; means of this many groups say something new each. */
const GROUPS = 10;
const STUDENT_T_95 = 2.306; // 8 degrees of freedom

/** Least squares over the means of ten groups; `error` is half of the 95 % interval. */
export function slopeOf(points: readonly Point[]): { slope: number; error: number } {
  const size = Math.ceil(points.length / GROUPS);
  const means = Array.from({ length: GROUPS }, (_, group) => points.slice(group * size, (group + 1) * size))
    .filter((some) => some.length > 0)
    .map((some) => ({ x: mean(some.map(({ x }) => x)), y: mean(some.map(({ y }) => y)) }));
  if (means.length < 3) return { slope: 0, error: Number.POSITIVE_INFINITY };
  const centre = { x: mean(means.map(({ x }) => x)), y: mean(means.map(({ y }) => y)) };
  const spread = means.reduce((sum, { x }) => sum + (x - centre.x) ** 2, 0);
  const slope = means.reduce((sum, { x, y }) => sum + (x - centre.x) * (y - centre.y), 0) / spread;
  const left = means.reduce((sum, { x, y }) => sum + (y - centre.y - slope * (x - centre.x)) ** 2, 0);
  return { slope, error: STUDENT_T_95 * Math.sqrt(left / (means.length - 2) / spread) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

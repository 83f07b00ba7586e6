import { expect, it } from 'vitest';
import { questionBits } from './question-bits.ts';

const weights = [1, 2, 4, -8];
/** As the database counts: the bits that both have, by the weight of their plane. */
const nearness = (signs: string, planes: readonly string[]) =>
  planes.reduce(
    (sum, plane, at) =>
      sum + (weights[at] ?? 0) * [...plane].filter((bit, dim) => bit === '1' && signs[dim] === '1').length,
    0,
  );

it('a dimension that matters more to the question decides, where signs alone are equally far away', () => {
  const asked = Float32Array.from([0.9, 0.1, -0.1, -0.7]);
  const { signs, planes } = questionBits(asked);
  expect(signs).toBe('1100');
  // Both differ from the signs of the question in one place: in what it is sure of, and in what it is not.
  expect(nearness('1000', planes)).toBeGreaterThan(nearness('0100', planes));
  expect(nearness('1110', planes)).toBeGreaterThan(nearness('1101', planes));
});

it('the planes add up to the numbers of the question, in sevenths of those that fit', () => {
  const asked = Float32Array.from({ length: 100 }, (_, at) => (at - 50) / 50);
  const { planes } = questionBits(asked);
  const numbers = [...asked].map((_, at) =>
    planes.reduce((sum, plane, weight) => sum + Number(plane[at]) * (weights[weight] ?? 0), 0),
  );
  expect(numbers).toEqual(
    [...asked].map((value) => Math.max(-7, Math.min(7, Math.round((value / Math.fround(0.98)) * 7))) + 0),
  );
});

it('a question of nothing but zeros is near to all alike', () => {
  expect(questionBits(new Float32Array(4)).planes).toEqual(['0000', '0000', '0000', '0000']);
});

// A question as it is compared with signatures, which keep of every passage the signs alone. Signs against signs (Hamming distance) are quick
// but throw away how much each dimension matters to the question; four bits of each of its numbers keep that, and still need nothing but bits of the
// passage (docs/decisions/0550).
import { signBits } from '../embedding/embedder.ts';

export interface QuestionBits {
  readonly signs: string;
  /** The bits of each number in two's complement: of weight 1, 2, 4 and -8. */
  readonly planes: readonly [string, string, string, string];
}

const LARGEST = 7;
/** Of the numbers of a question, those that fit; the few larger ones count as the largest. */
const FITTING = 0.97;

export function questionBits(vector: Float32Array): QuestionBits {
  const sizes = Float32Array.from(vector, Math.abs).sort();
  const largest = sizes[Math.floor(sizes.length * FITTING)] || 1;
  const numbers = Array.from(vector, (component) =>
    Math.max(-LARGEST, Math.min(LARGEST, Math.round((component / largest) * LARGEST))),
  );
  const plane = (weight: number) => numbers.map((number) => (number >> weight) & 1).join('');
  return { signs: signBits(vector), planes: [plane(0), plane(1), plane(2), plane(3)] };
}

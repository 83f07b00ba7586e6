// A question in a thread may lean on those before it ("and in Germany?"). With a model it is written out; without one, or when that fails, a
// question that says little by itself carries the words of the one before.
import type { LanguageModel } from './llm/language-model.ts';
import { rewritePrompt } from './llm/prompt.ts';

export interface EarlierTurn {
  readonly question: string;
  readonly asked_as: string | null;
}

const REWRITE_MS = 8_000;
const LOOKED_BACK = 4;
const FEW_WORDS = 5;
const leaning =
  /\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|there|then|same|other|others|one|ones|also|what about|how about|and|why|else)\b|^(?:und|et|y|e|och|en)\b/i;

export async function resolveFollowUp(
  question: string,
  turns: readonly EarlierTurn[],
  model: LanguageModel | undefined,
  signal?: AbortSignal,
): Promise<string | null> {
  const last = turns.at(-1);
  if (last === undefined) return null;
  const written = model === undefined ? undefined : await rewrite(question, turns, model, signal);
  return written ?? carryWords(question, last.asked_as ?? last.question);
}

async function rewrite(
  question: string,
  turns: readonly EarlierTurn[],
  model: LanguageModel,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const earlier = turns.slice(-LOOKED_BACK).map(({ question: asked, asked_as: as }) => as ?? asked);
  const limit = AbortSignal.timeout(REWRITE_MS);
  let text = '';
  try {
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    for await (const said of model.write(rewritePrompt(question, earlier), either))
      if (said.kind === 'text') text += said.text;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
  const line = text.trim().split('\n')[0]?.trim() ?? '';
  return line === '' || line.length > 1_000 ? undefined : line;
}

/** Null: it stands for itself. */
export function carryWords(question: string, before: string): string | null {
  const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > FEW_WORDS && !leaning.test(question)) return null;
  const own = new Set(words.map((word) => word.toLowerCase()));
  const carried = (before.match(/[\p{L}\p{N}'’-]+/gu) ?? []).filter((word) => !own.has(word.toLowerCase()));
  return carried.length === 0 ? null : `${question.trim()} ${carried.join(' ')}`.slice(0, 2_000);
}

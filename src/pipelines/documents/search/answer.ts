// What an answer is made of before it is sent: sentences with numbers of citations, and the citations themselves.
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { Citation } from './cite.ts';

export type Sentence = AnswerOf<'search.ask'>['sentences'][number];
export type AbstainReason = NonNullable<AnswerOf<'search.ask'>['reason']>;
export type WrittenBy = AnswerOf<'search.ask'>['written_by'];

export interface Written {
  readonly sentences: readonly Sentence[];
  readonly citations: readonly Citation[];
  readonly by: WrittenBy;
  /** What a reader should know of how it was written. */
  readonly said: readonly string[];
}

/** As people read it: each sentence with its numbers behind it. */
export function textOf(sentences: readonly Sentence[]): string {
  return sentences
    .map(({ text, citations }) => `${text}${citations.map((number) => ` [${number}]`).join('')}`)
    .join(' ');
}

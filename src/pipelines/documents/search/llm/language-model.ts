// What a language model is, whichever speaks behind it: a prompt in, text as it is written out, and what it cost.

export interface Prompt {
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
}

export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export type Said = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'usage'; readonly usage: Usage };

export interface LanguageModel {
  readonly name: string;
  /** Throws `llm_failed` with a reason of ours; never what the provider said, which may repeat the prompt. */
  write(prompt: Prompt, signal?: AbortSignal): AsyncGenerator<Said>;
  /** In US dollars; null where no price is set. */
  costOf(usage: Usage): number | null;
}

/** A model with the budget it may use. */
export interface Writer {
  readonly model: LanguageModel;
  readonly evidenceTokens: number;
  readonly maxTokens: number;
  countTokens(text: string): number;
}

// Language models over HTTP, both as streams of events: Anthropic's Messages and OpenAI's chat completions, which many others speak.
import { MillraceError } from '../../../../contract/errors/millrace-error.ts';
import { readEvents } from './event-lines.ts';
import type { LanguageModel, Prompt, Said, Usage } from './language-model.ts';

export interface HttpModelOptions {
  readonly provider: 'anthropic' | 'openai';
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** For the whole answer. */
  readonly timeoutMs: number;
  /** US cents for a million tokens; 0: not known. */
  readonly centsIn: number;
  readonly centsOut: number;
}

interface Dialect {
  readonly path: string;
  headers(apiKey: string | undefined): Record<string, string>;
  body(model: string, prompt: Prompt): unknown;
  /** What one event says. */
  read(event: unknown): { readonly text?: string; readonly usage?: Partial<Usage>; readonly isEnd?: boolean };
}

const anthropic: Dialect = {
  path: '/v1/messages',
  headers: (apiKey) => ({
    'anthropic-version': '2023-06-01',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  }),
  body: (model, { system, user, maxTokens }) => ({
    model,
    system,
    max_tokens: maxTokens,
    temperature: 0,
    stream: true,
    messages: [{ role: 'user', content: user }],
  }),
  read(event) {
    const { type, delta, message, usage } = event as {
      type?: string;
      delta?: { text?: unknown };
      message?: { usage?: { input_tokens?: number } };
      usage?: { output_tokens?: number };
    };
    if (type === 'error') throw failed('it reported an error');
    return {
      ...(type === 'content_block_delta' && typeof delta?.text === 'string' ? { text: delta.text } : {}),
      ...(type === 'message_start' ? { usage: { tokensIn: numberOf(message?.usage?.input_tokens) } } : {}),
      ...(type === 'message_delta' ? { usage: { tokensOut: numberOf(usage?.output_tokens) } } : {}),
      isEnd: type === 'message_stop',
    };
  },
};

const openai: Dialect = {
  path: '/chat/completions',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body: (model, { system, user, maxTokens }) => ({
    model,
    max_tokens: maxTokens,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }),
  read(event) {
    if (event === '[DONE]') return { isEnd: true };
    const { choices, usage, error } = event as {
      choices?: { delta?: { content?: unknown } }[];
      usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
      error?: unknown;
    };
    if (error !== undefined) throw failed('it reported an error');
    const content = choices?.[0]?.delta?.content;
    return {
      ...(typeof content === 'string' ? { text: content } : {}),
      ...(usage
        ? { usage: { tokensIn: numberOf(usage.prompt_tokens), tokensOut: numberOf(usage.completion_tokens) } }
        : {}),
    };
  },
};

const dialects = { anthropic, openai } as const;
/** An answer longer than this is no answer of ours. */
const MAX_CHARS = 50_000;

export class HttpModel implements LanguageModel {
  readonly name: string;
  readonly #options: HttpModelOptions;

  constructor(options: HttpModelOptions) {
    this.name = options.model;
    this.#options = options;
  }

  async *write(prompt: Prompt, signal?: AbortSignal): AsyncGenerator<Said> {
    const late = AbortSignal.timeout(this.#options.timeoutMs);
    const either = signal === undefined ? late : AbortSignal.any([signal, late]);
    try {
      yield* this.#read(prompt, either);
    } catch (error) {
      signal?.throwIfAborted();
      if (late.aborted) throw failed('it did not answer in time', error);
      throw error instanceof MillraceError ? error : failed('it cannot be reached', error);
    }
  }

  costOf({ tokensIn, tokensOut }: Usage): number | null {
    const { centsIn, centsOut } = this.#options;
    if (centsIn === 0 && centsOut === 0) return null;
    return (tokensIn * centsIn + tokensOut * centsOut) / 100_000_000;
  }

  async *#read(prompt: Prompt, signal: AbortSignal): AsyncGenerator<Said> {
    const { provider, url, model, apiKey } = this.#options;
    const dialect = dialects[provider];
    const response = await fetch(`${url.replace(/\/+$/, '')}${dialect.path}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...dialect.headers(apiKey) },
      body: JSON.stringify(dialect.body(model, prompt)),
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw failed(`HTTP ${response.status}`);
    }
    let usage: Usage = { tokensIn: 0, tokensOut: 0 };
    let chars = 0;
    let isEnded = false;
    for await (const event of readEvents(response)) {
      const said = dialect.read(event);
      if (said.usage !== undefined) usage = { ...usage, ...said.usage };
      if (said.text !== undefined && said.text !== '') {
        chars += said.text.length;
        if (chars > MAX_CHARS) throw failed('it does not stop');
        yield { kind: 'text', text: said.text };
      }
      if (said.isEnd === true) {
        isEnded = true;
        break;
      }
    }
    if (!isEnded) throw failed('its answer broke off');
    yield { kind: 'usage', usage };
  }
}

function failed(reason: string, cause?: unknown): MillraceError {
  return new MillraceError('llm_failed', { reason }, cause === undefined ? {} : { cause });
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0;
}

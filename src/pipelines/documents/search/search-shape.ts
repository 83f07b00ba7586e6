// Search and answers: limits, the language model, the second opinion, and how long questions are kept.
import { choice, integer, optionalText, optionalUrl } from '../../../platform/config/setting.ts';

export const searchShape = {
  searchTimeoutMs: integer('SEARCH_TIMEOUT_MS', {
    min: 100,
    max: 600_000,
    default: 10_000,
    unit: 'milliseconds',
    doc: 'How long the database may take for one statement of a search.',
  }),
  searchEmbeddingTimeoutMs: integer('SEARCH_EMBEDDING_TIMEOUT_MS', {
    min: 50,
    max: 600_000,
    default: 5_000,
    unit: 'milliseconds',
    doc: 'How long embedding a question may take. After that, Millrace searches by words only, and the answer says so.',
  }),
  queryLogDays: integer('QUERY_LOG_DAYS', {
    min: 1,
    max: 3_650,
    default: 180,
    unit: 'days',
    doc: 'How long questions and their answers are kept.',
  }),
  llmProvider: choice('LLM_PROVIDER', ['none', 'anthropic', 'openai'], {
    default: 'none',
    doc: 'Which service writes answers. none: Millrace quotes sentences from the documents. openai: OpenAI, and whatever speaks its chat completions.',
  }),
  llmUrl: optionalUrl('LLM_URL', ['http', 'https'], {
    doc: 'Address of the language model. Default: https://api.anthropic.com or https://api.openai.com/v1.',
  }),
  llmModel: optionalText('LLM_MODEL', { doc: 'Its name, as the provider knows it. Needed when LLM_PROVIDER is set.' }),
  llmApiKey: optionalText('LLM_API_KEY', { secret: true, doc: 'Key of the language model.' }),
  llmTimeoutSeconds: integer('LLM_TIMEOUT_SECONDS', {
    min: 1,
    max: 600,
    default: 30,
    unit: 'seconds',
    doc: 'How long the model may take to write an answer. After that, Millrace quotes the documents, and the answer says so.',
  }),
  llmMaxTokens: integer('LLM_MAX_TOKENS', {
    min: 50,
    max: 8_000,
    default: 800,
    unit: 'tokens',
    doc: 'The most tokens of an answer.',
  }),
  llmEvidenceTokens: integer('LLM_EVIDENCE_TOKENS', {
    min: 200,
    max: 200_000,
    default: 6_000,
    unit: 'tokens',
    doc: 'The most tokens of evidence that Millrace sends with a question.',
  }),
  llmCentsIn: integer('LLM_CENTS_PER_MILLION_IN', {
    min: 0,
    max: 1_000_000,
    default: 0,
    unit: 'US cents',
    doc: 'Price of a million input tokens, for the cost in the query log. 0 for both: the log shows no cost.',
  }),
  llmCentsOut: integer('LLM_CENTS_PER_MILLION_OUT', {
    min: 0,
    max: 1_000_000,
    default: 0,
    unit: 'US cents',
    doc: 'Price of a million output tokens.',
  }),
  rerankUrl: optionalUrl('RERANK_URL', ['http', 'https'], {
    doc: 'A service that speaks Cohere’s rerank API, e.g. https://api.cohere.com. It sees the query and the best chunks. Default: off.',
  }),
  rerankModel: optionalText('RERANK_MODEL', { unset: 'rerank-v3.5', doc: 'Model of the rerank service.' }),
  rerankApiKey: optionalText('RERANK_API_KEY', { secret: true, doc: 'Key of the rerank service.' }),
  rerankTimeoutMs: integer('RERANK_TIMEOUT_MS', {
    min: 50,
    max: 60_000,
    default: 1_500,
    unit: 'milliseconds',
    doc: 'How long the rerank service may take. After that, the order stays as it was, and the answer says so.',
  }),
};

export function searchFaults({
  llmProvider,
  llmModel,
}: {
  readonly llmProvider: string;
  readonly llmModel?: string | undefined;
}): string[] {
  return llmProvider !== 'none' && llmModel === undefined ? [`LLM_PROVIDER=${llmProvider} needs LLM_MODEL`] : [];
}

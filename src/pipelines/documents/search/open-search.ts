// Search as the settings want it.
import type { Embedder } from '../embedding/embedder.ts';
import type { DocumentSettings } from '../settings.ts';
import { HttpModel } from './llm/http-model.ts';
import { openSearch, type SearchDeps } from './search-deps.ts';

const addresses = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;

export function searchOf(settings: DocumentSettings, embedder: Embedder, others: readonly Embedder[]): SearchDeps {
  const { llmProvider: provider, llmModel: model, rerankUrl } = settings;
  return openSearch(
    embedder,
    {
      embedTimeoutMs: settings.searchEmbeddingTimeoutMs,
      statementTimeoutMs: settings.searchTimeoutMs,
      ...(provider === 'none' || model === undefined
        ? {}
        : {
            writer: {
              model: new HttpModel({
                provider,
                url: settings.llmUrl ?? addresses[provider],
                model,
                apiKey: settings.llmApiKey,
                timeoutMs: settings.llmTimeoutSeconds * 1_000,
                centsIn: settings.llmCentsIn,
                centsOut: settings.llmCentsOut,
              }),
              evidenceTokens: settings.llmEvidenceTokens,
              maxTokens: settings.llmMaxTokens,
              countTokens: (text: string) => embedder.countTokens(text),
            },
          }),
      ...(rerankUrl === undefined
        ? {}
        : {
            rerank: {
              url: rerankUrl,
              model: settings.rerankModel ?? 'rerank-v3.5',
              apiKey: settings.rerankApiKey,
              timeoutMs: settings.rerankTimeoutMs,
            },
          }),
    },
    others,
  );
}

// EMBEDDING_MODELS: the further models of an installation, as the operator lists them.
import { z } from 'zod';

const Listed = z
  .array(
    z.discriminatedUnion('provider', [
      z.strictObject({
        provider: z.literal('http'),
        model: z.string().min(1).max(200),
        dim: z.int().min(1).max(16_000),
        url: z.url({ protocol: /^https?$/ }),
        api: z.enum(['openai', 'tei', 'embed-svc']).default('openai'),
        key: z.string().min(1).optional(),
      }),
      z.strictObject({
        provider: z.literal('local'),
        path: z.string().min(1),
        model: z.string().min(1).max(200).optional(),
      }),
    ]),
  )
  .max(20);

/** What is wrong with EMBEDDING_MODELS, without what it holds: keys may be in it. */
export function faultsOfListed(text: string | undefined): string[] {
  if (text === undefined) return [];
  const parsed = Listed.safeParse(readJson(text));
  if (parsed.success) return [];
  const places = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'the list'} (${code})`);
  return [`EMBEDDING_MODELS is not a list of models in JSON: ${places.slice(0, 5).join(', ')}`];
}

export function listedModels(text: string | undefined): z.infer<typeof Listed> {
  return text === undefined ? [] : Listed.parse(readJson(text));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Where a bearer token comes from: given as it is, or fetched with client credentials. However many calls need a new one at
// the same moment, one request fetches it.
import type { Dispatcher } from 'undici';
import { TokenAnswer } from './answers.ts';
import { callAirbyte } from './http.ts';

export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string };

export interface TokenSource {
  get(): Promise<string>;
  /** The token was refused. True when another one can be had. */
  refused(token: string): boolean;
}

export interface TokenOptions {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
}

// Tokens live 15 minutes. One that is about to end would end on the way.
const EARLY_MS = 60_000;
const DEFAULT_LIFE_S = 900;

export function createTokenSource(credential: Credential, options: TokenOptions): TokenSource {
  if (credential.kind === 'token') return { get: async () => credential.token, refused: () => false };
  let current: { token: string; until: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function fetchToken(): Promise<string> {
    const { clientId, clientSecret } = credential as Extract<Credential, { kind: 'client' }>;
    const answer = await callAirbyte({
      method: 'POST',
      url: `${options.baseUrl}/applications/token`,
      // The schema requires grant_type but declares grant-type: both are sent.
      body: {
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
        'grant-type': 'client_credentials',
      },
      answer: TokenAnswer,
      what: 'application',
      timeoutMs: options.timeoutMs,
      // 400 is how the token endpoint refuses a client.
      errorKinds: { 400: 'auth' },
      ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    });
    const lifeMs = (answer.expires_in ?? DEFAULT_LIFE_S) * 1_000;
    current = { token: answer.access_token, until: performance.now() + Math.max(lifeMs - EARLY_MS, lifeMs / 2) };
    return answer.access_token;
  }

  return {
    async get() {
      if (current !== undefined && performance.now() < current.until) return current.token;
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      return fetching;
    },
    refused(token) {
      if (current?.token === token) current = undefined;
      return true;
    },
  };
}

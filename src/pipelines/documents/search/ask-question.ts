// One question: found evidence, judged against the measured bar, answered in sentences with citations or refused with the reason. Written to
// the query log before it is given.
import type { Principal } from '../../../access/principal.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Pool } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { listTurns } from '../sql/conversations.ts';
import type { SearchFilter } from '../sql/search-filter.ts';
import { reasonToAbstain } from './abstain.ts';
import { type AbstainReason, type Sentence, textOf, type Written } from './answer.ts';
import { barOf } from './bar.ts';
import { type Evidence, judgeEvidence } from './evidence.ts';
import { resolveFollowUp } from './follow-up.ts';
import { keepQuery } from './keep-query.ts';
import { quoteAnswer } from './quote-answer.ts';
import { sayBeingRead } from './say-being-read.ts';
import type { SearchDeps } from './search-deps.ts';
import { type Found, searchDocuments } from './search-documents.ts';
import type { Hit } from './shapes.ts';
import { Stopwatch } from './stopwatch.ts';
import { writeAnswer } from './write-answer.ts';

export type Answer = AnswerOf<'search.ask'>;

export interface Asking {
  readonly pool: Pool;
  readonly log: Log;
  readonly principal: Principal;
  readonly deps: SearchDeps;
}

export interface Question {
  readonly question: string;
  readonly conversationId: string | undefined;
  readonly filter: SearchFilter;
  readonly limit: number;
}

/** Told while the answer is made. */
export interface Listener {
  onEvidence?(hits: readonly Hit[]): void;
  onSentence?(sentence: Sentence): void;
  readonly signal?: AbortSignal;
}

const TURNS = 6;

export async function askQuestion(asking: Asking, question: Question, listener: Listener = {}): Promise<Answer> {
  const { pool, principal, deps } = asking;
  const { tenantId } = principal;
  const watch = new Stopwatch();
  const askedAs = await watch.time('thread', () => resolve(asking, question, listener.signal));
  const query = askedAs ?? question.question;
  const found = await searchDocuments(
    pool,
    deps,
    { tenantId, query, filter: question.filter, mode: 'hybrid', limit: question.limit, group: 'none' },
    watch,
  );
  listener.onEvidence?.(found.hits);
  const evidence = await watch.time('judge', () => judgeEvidence(found));
  const bar = barOf(found.retrieval.activeModel, evidence.usesVectors);
  const thin = reasonToAbstain(found, evidence, bar);
  const written =
    thin === undefined ? await watch.time('answer', () => write(asking, query, found, evidence, listener)) : undefined;
  const reason = thin ?? reasonAfterWriting(written);
  const isAnswered = reason === undefined && written !== undefined;
  const beingRead = isAnswered ? [] : await sayBeingRead(pool, tenantId);
  const answer: Answer = {
    query_id: uuidv7(),
    conversation_id: question.conversationId ?? null,
    asked_as: askedAs,
    status: isAnswered ? 'answered' : 'abstained',
    answer: isAnswered ? textOf(written.sentences) : null,
    sentences: isAnswered ? [...written.sentences] : [],
    citations: isAnswered ? [...written.citations] : [],
    evidence: found.hits,
    reason: reason ?? null,
    confidence: { score: round(evidence.score), bar: bar.below, measured_for: bar.measuredFor },
    written_by: written?.by ?? { model: null, tokens_in: null, tokens_out: null, cost_usd: null },
    why: {
      ...found.why,
      said: [...found.why.said, ...evidence.said, ...(written?.said ?? []), ...beingRead],
      stages: watch.stages(),
    },
  };
  return keepQuery(asking, question, found, answer);
}

async function resolve(
  { pool, principal, deps }: Asking,
  { question, conversationId }: Question,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (conversationId === undefined) return null;
  const { tenantId } = principal;
  const turns = await inTenant(pool, tenantId, (db) => listTurns(db, tenantId, conversationId, TURNS), {
    readOnly: true,
  });
  return resolveFollowUp(question, turns, deps.writer?.model, signal);
}

/** By the model where there is one; where it fails, in sentences of the documents. */
async function write(
  { pool, principal, deps, log }: Asking,
  question: string,
  found: Found,
  evidence: Evidence,
  { signal, onSentence }: Listener,
): Promise<Written & { refused?: boolean }> {
  const { tenantId } = principal;
  const said: string[] = [];
  if (deps.writer !== undefined) {
    try {
      return await writeAnswer(pool, tenantId, deps.writer, question, found, { signal, onSentence });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof MillraceError) || error.code !== 'llm_failed') throw error;
      log.warn(
        { err: error, tenant_id: tenantId, llm: deps.writer.model.name },
        'the language model could not be used',
      );
      said.push(`The language model could not be used (${String(error.params.reason)}): the answer is quoted.`);
    }
  }
  const quoted = await inTenant(pool, tenantId, (db) => quoteAnswer(db, tenantId, found, evidence), {
    readOnly: true,
  });
  for (const sentence of quoted.sentences) onSentence?.(sentence);
  return { ...quoted, said };
}

function reasonAfterWriting(written: (Written & { refused?: boolean }) | undefined): AbstainReason | undefined {
  if (written === undefined || written.sentences.some(({ is_supported: isSupported }) => isSupported)) return undefined;
  return written.refused === true
    ? { code: 'thin_evidence', text: 'The language model found no answer in the evidence.' }
    : { code: 'no_citation_left', text: 'No sentence of the answer is supported by the documents.' };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

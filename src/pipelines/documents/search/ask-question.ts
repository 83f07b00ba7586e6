// One question: found evidence, judged against the measured bar, answered in sentences with citations or refused with the reason. Written to
// the query log before it is given.
import type { Principal } from '../../../access/principal.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { Pool } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { touchConversation } from '../sql/conversations.ts';
import { insertQuery } from '../sql/queries.ts';
import type { SearchFilter } from '../sql/search-filter.ts';
import { reasonToAbstain } from './abstain.ts';
import { textOf, type Written } from './answer.ts';
import { barOf } from './bar.ts';
import { judgeEvidence } from './evidence.ts';
import { quoteAnswer } from './quote-answer.ts';
import type { SearchDeps } from './search-deps.ts';
import { type Found, searchDocuments } from './search-documents.ts';
import { Stopwatch } from './stopwatch.ts';

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

const nothingWritten: Written = {
  sentences: [],
  citations: [],
  by: { model: null, tokens_in: null, tokens_out: null, cost_usd: null },
  said: [],
};

export async function askQuestion(asking: Asking, question: Question): Promise<Answer> {
  const { pool, principal, deps } = asking;
  const { tenantId } = principal;
  const watch = new Stopwatch();
  const found = await searchDocuments(
    pool,
    deps,
    {
      tenantId,
      query: question.question,
      filter: question.filter,
      mode: 'hybrid',
      limit: question.limit,
      group: 'none',
    },
    watch,
  );
  const evidence = await watch.time('judge', () => judgeEvidence(found, deps));
  const bar = barOf(found.retrieval.activeModel, evidence.usesVectors);
  let reason = reasonToAbstain(found, evidence, bar);
  let written = nothingWritten;
  if (reason === undefined) {
    written = await watch.time('answer', () =>
      inTenant(pool, tenantId, (db) => quoteAnswer(db, tenantId, found, evidence), { readOnly: true }),
    );
    if (!written.sentences.some(({ is_supported: isSupported }) => isSupported))
      reason = { code: 'no_citation_left', text: 'No sentence of the answer could be shown in the documents.' };
  }
  const answer: Answer = {
    query_id: uuidv7(),
    conversation_id: question.conversationId ?? null,
    asked_as: null,
    status: reason === undefined ? 'answered' : 'abstained',
    answer: reason === undefined ? textOf(written.sentences) : null,
    sentences: reason === undefined ? [...written.sentences] : [],
    citations: reason === undefined ? [...written.citations] : [],
    evidence: found.hits,
    reason: reason ?? null,
    confidence: { score: round(evidence.score), bar: bar.below, measured_for: bar.measuredFor },
    written_by: written.by,
    why: { ...found.why, said: [...found.why.said, ...written.said], stages: watch.stages() },
  };
  await keep(asking, question, found, answer);
  return answer;
}

async function keep(
  { pool, log, principal }: Asking,
  { question, conversationId }: Question,
  found: Found,
  answer: Answer,
): Promise<void> {
  const { tenantId } = principal;
  const { candidates } = found.retrieval;
  await inTenant(pool, tenantId, async (db) => {
    if (conversationId !== undefined) await touchConversation(db, tenantId, conversationId, question.trim());
    await insertQuery(db, {
      queryId: answer.query_id,
      tenantId,
      askedBy: principal.actorId,
      askedByName: principal.actor,
      conversationId: conversationId ?? null,
      question,
      askedAs: answer.asked_as,
      status: answer.status,
      reason: answer.reason?.code ?? null,
      answer: answer.answer,
      score: answer.confidence.score,
      bar: answer.confidence.bar,
      result: answer,
      stages: answer.why.stages,
      candidates: candidates.lexical + candidates.vector,
      modelId: answer.why.model,
      llm: answer.written_by.model,
      tokensIn: answer.written_by.tokens_in,
      tokensOut: answer.written_by.tokens_out,
      costUsd: answer.written_by.cost_usd,
    });
  });
  log.info(
    {
      event: 'query_answered',
      query_id: answer.query_id,
      tenant_id: tenantId,
      user_id: principal.actorId,
      status: answer.status,
      reason_code: answer.reason?.code,
      stages: answer.why.stages,
      counts: { ...candidates, hits: answer.evidence.length, citations: answer.citations.length },
      model: answer.why.model ?? undefined,
      llm: answer.written_by.model ?? undefined,
      tokens_in: answer.written_by.tokens_in ?? undefined,
      tokens_out: answer.written_by.tokens_out ?? undefined,
      cost_usd: answer.written_by.cost_usd ?? undefined,
    },
    'a question was answered',
  );
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

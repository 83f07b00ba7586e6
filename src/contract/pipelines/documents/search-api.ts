// Search and ask: chunks that are found, answers that quote them, the log of what was asked, and threads of questions.
import { z } from 'zod';
import { allow, type Role } from '../../api/roles.ts';
import { defineRoutes, empty, json } from '../../api/route.ts';
import { Count, Day, Id, list, Page, Time } from '../../api/values.ts';
import { Box } from './box.ts';

const MAX_QUESTION = 10_000;

const SearchFilters = z
  .strictObject({
    source_id: Id.optional().describe('Documents of this source.'),
    type: z
      .array(z.enum(['pdf', 'docx', 'html', 'txt', 'md']))
      .max(5)
      .optional(),
    from: Day.optional().describe('Documents that were first ingested on this day or later.'),
    to: Day.optional().describe('Documents that were first ingested on this day or earlier.'),
    tag: z.array(z.string().min(1).max(100)).max(50).optional().describe('Documents that have one of these tags.'),
    doc_id: z.array(Id).max(200).optional(),
  })
  .describe('All of them hold together.');

const SearchRequest = z.strictObject({
  query: z
    .string()
    .max(MAX_QUESTION)
    .describe('Words, in any language. "exact phrase" must occur in the chunk; -word must not.'),
  limit: z.int().min(1).max(100).default(10),
  filters: SearchFilters.optional(),
  mode: z.enum(['hybrid', 'lexical', 'vector']).default('hybrid'),
  group: z.enum(['none', 'document']).default('none').describe('document: the best chunk of each document.'),
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
});

const SearchHit = z.object({
  rank: Count.describe('1 is the best.'),
  chunk_id: Id,
  doc_id: Id,
  doc_version_id: Id,
  version: Count,
  title: z.string(),
  source_type: z.string(),
  unit: z.enum(['page', 'section']),
  page_from: Count,
  page_to: Count,
  page: Count.describe('Where the best passage stands.'),
  heading_path: z.array(z.string()),
  text: z.string(),
  boxes: z.array(Box),
  highlights: z.array(z.object({ start: Count, end: Count })).describe('Words of the query in `text`.'),
  score: z.number(),
  scores: z.object({
    lexical: z.number().nullable().describe('BM25; null when not asked.'),
    vector: z.number().nullable().describe('Cosine of the best passage; null when there is no vector.'),
    document: z.number().nullable().describe('Title and first page of the document.'),
    rerank: z.number().nullable(),
  }),
  ranks: z.object({ lexical: Count.nullable(), vector: Count.nullable(), rerank: Count.nullable() }),
  also: z
    .array(z.object({ chunk_id: Id, chunk_no: Count, score: z.number() }))
    .describe('Further chunks of the document, when grouped.'),
  why: z.string(),
});

const SearchWhy = z.object({
  mode: z.enum(['hybrid', 'lexical', 'vector']).describe('What was really done.'),
  said: z.array(z.string()).describe('What a reader should know, in sentences.'),
  words: z.array(
    z.object({
      word: z.string(),
      chunks: Count.describe('In how many chunks it stands; estimated where it is very common.'),
      read_as: z.string().nullable().describe('A word of the documents that it was taken for.'),
      is_common: z
        .boolean()
        .describe('Says nothing of what is asked about: a stop word, or a word of asking ("how long").'),
    }),
  ),
  model: z.string().nullable().describe('Whose vectors were compared.'),
  rerank: z.enum(['off', 'used', 'failed']),
  candidates: z.object({ lexical: Count, vector: Count, dropped: Count.describe('By a phrase or -word.') }),
  searched: z
    .object({ documents: Count, chunks: Count })
    .describe('What was searched: active documents that pass the filters.'),
  stages: z.record(z.string(), z.number()).describe('Milliseconds.'),
});

const SearchAnswer = z.object({ query_id: Id, hits: z.array(SearchHit), why: SearchWhy });

const AskRequest = z.strictObject({
  question: z.string().max(MAX_QUESTION),
  conversation_id: Id.optional().describe('Of the caller’s own threads: the question may refer to earlier ones.'),
  filters: SearchFilters.optional(),
  limit: z.int().min(1).max(20).default(8).describe('Chunks of evidence.'),
  stream: z.boolean().default(false).describe('Answer as Server-Sent Events; so does Accept: text/event-stream.'),
  workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
});

const Citation = z.object({
  number: Count.describe('As the sentences name it.'),
  chunk_id: Id,
  doc_id: Id,
  doc_version_id: Id,
  version: Count,
  title: z.string(),
  unit: z.enum(['page', 'section']),
  page: Count,
  quote: z.string().describe('Stands in the text of this page of this version, character by character.'),
  start: Count.describe('Where the quote begins in the text of the page.'),
  end: Count,
  boxes: z.array(Box),
});

const AnswerSentence = z.object({
  text: z.string(),
  citations: z.array(Count),
  is_supported: z.boolean().describe('false: no retrieved citation supports it.'),
});

const AskAnswer = z.object({
  query_id: Id,
  conversation_id: Id.nullable(),
  asked_as: z.string().nullable().describe('What was looked for, where the thread gave the question its meaning.'),
  status: z.enum(['answered', 'abstained']),
  answer: z.string().nullable().describe('With citations as [1].'),
  sentences: z.array(AnswerSentence),
  citations: z.array(Citation),
  evidence: z.array(SearchHit),
  reason: z
    .object({
      code: z.enum([
        'no_documents',
        'none_passes_filters',
        'only_common_words',
        'nothing_found',
        'thin_evidence',
        'no_citation_left',
        'purged',
      ]),
      text: z.string(),
    })
    .nullable()
    .describe('Why it abstained, or why the answer that was kept is gone: purged.'),
  confidence: z.object({
    score: z.number(),
    bar: z.number().describe('Below it the question is not answered.'),
    measured_for: z.string().describe('The model whose bar it is.'),
  }),
  written_by: z.object({
    model: z.string().nullable().describe('null: sentences quoted from the documents.'),
    tokens_in: Count.nullable(),
    tokens_out: Count.nullable(),
    cost_usd: z.number().nullable(),
  }),
  why: SearchWhy,
});

const LoggedQuery = z.object({
  query_id: Id,
  asked_by: z.string(),
  conversation_id: Id.nullable(),
  question: z.string(),
  status: z.enum(['answered', 'abstained']),
  reason: z.string().nullable(),
  answer: z.string().nullable(),
  score: z.number().nullable(),
  bar: z.number().nullable(),
  rating: z.enum(['up', 'down']).nullable(),
  rating_note: z.string().nullable(),
  model: z.string().nullable(),
  llm: z.string().nullable(),
  cost_usd: z.number().nullable(),
  milliseconds: z.number(),
  created_at: Time,
});

const UnansweredQuestion = z.object({
  question: z.string(),
  times: Count,
  rated_down: Count,
  reason: z.string().nullable(),
  last_query_id: Id,
  last_asked_at: Time,
});

const Conversation = z.object({
  conversation_id: Id,
  title: z.string(),
  turns: Count,
  created_at: Time,
  updated_at: Time,
});

const people: readonly Role[] = ['admin', 'user', 'service'];
const reading = allow(people, 'data:read');
const own = allow(['admin', 'user', 'service'], 'data:read');
const byQuery = z.object({ query_id: Id });
const byConversation = z.object({ conversation_id: Id });
const asking = ['question_empty'] as const;

export const searchRoutes = defineRoutes({
  'search.run': {
    tag: 'Search',
    summary: 'Search the active documents',
    notes:
      'Chunks with page, boxes, scores by part and why. Words are found in any form of the language of the document; a word nobody wrote is read as the nearest one, and `why` says so.',
    access: reading,
    body: SearchRequest,
    answer: json(SearchAnswer),
    errors: [...asking],
  },
  'search.ask': {
    tag: 'Search',
    summary: 'Ask a question of the documents',
    notes:
      'Answers with citations, or abstains and says why. With "stream": true the answer is a stream of events: `evidence` (chunks), `sentence` (one each, checked), `done` (this answer as a whole) or `error` (a problem). A streamed answer keeps no Idempotency-Key.',
    access: reading,
    body: AskRequest,
    answer: json(AskAnswer),
    errors: [...asking, 'conversation_not_found', 'stream_with_key'],
  },
  'queries.list': {
    tag: 'Search',
    summary: 'Questions that were asked, newest first',
    notes: 'Admins see those of the tenant that are in no conversation of somebody else; others see their own.',
    access: own,
    query: Page.extend({
      status: z.enum(['answered', 'abstained']).optional(),
      rating: z.enum(['up', 'down']).optional(),
    }),
    answer: json(list(LoggedQuery)),
    errors: ['cursor_malformed'],
  },
  'queries.unanswered': {
    tag: 'Search',
    summary: 'Questions that were not answered or rated down, most frequent first',
    access: own,
    query: z.object({ limit: z.coerce.number<number | string>().int().min(1).max(500).default(50) }),
    answer: json(z.object({ data: z.array(UnansweredQuestion) })),
  },
  'queries.show': {
    tag: 'Search',
    summary: 'A question with its answer as it was given',
    notes: 'Citations stay: the versions they name open even when they are not served any more.',
    access: own,
    params: byQuery,
    answer: json(LoggedQuery.extend({ result: AskAnswer })),
    errors: ['query_not_found'],
  },
  'queries.feedback': {
    tag: 'Search',
    summary: 'Rate an answer',
    access: own,
    params: byQuery,
    body: z.strictObject({
      rating: z.enum(['up', 'down', 'none']),
      note: z.string().max(2_000).optional(),
    }),
    answer: json(LoggedQuery),
    errors: ['query_not_found'],
  },
  'conversations.list': {
    tag: 'Search',
    summary: 'The caller’s own conversations, newest first',
    access: own,
    query: Page,
    answer: json(list(Conversation)),
    errors: ['cursor_malformed'],
  },
  'conversations.create': {
    tag: 'Search',
    summary: 'Begin a conversation',
    notes: 'Only its owner sees it and its questions, no admin either.',
    access: own,
    body: z
      .strictObject({
        title: z.string().max(200).optional().describe('Default: its first question.'),
        workspace_id: Id.optional().describe('Must equal the tenant of the credential.'),
      })
      .optional(),
    answer: json(Conversation, 201),
  },
  'conversations.show': {
    tag: 'Search',
    summary: 'A conversation with its turns in order',
    access: own,
    params: byConversation,
    answer: json(Conversation.extend({ questions: z.array(LoggedQuery.extend({ result: AskAnswer })) })),
    errors: ['conversation_not_found'],
  },
  'conversations.remove': {
    tag: 'Search',
    summary: 'Erase a conversation with its questions and answers',
    access: own,
    params: byConversation,
    answer: empty,
    errors: ['conversation_not_found'],
  },
});

// Searching and asking on the command line, and an evaluation on questions of one's own.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { formatFacts, say, sayJson } from '../../../cli/output.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import type { AnswerOf, Client } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type EvalQuestion, readQuestions } from './read-questions.ts';

interface SearchOptions {
  readonly tenant?: string;
  readonly limit: string;
  readonly mode: 'hybrid' | 'lexical' | 'vector';
  readonly group?: boolean;
  readonly source?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly tag?: string;
  readonly document?: string;
  readonly json?: boolean;
}

type Hit = AnswerOf<'search.run'>['hits'][number];
type Answer = AnswerOf<'search.ask'>;

const SHOWN_CHARS = 240;

export function addSearchCommands(program: Command): void {
  const withFilters = (command: Command) =>
    command
      .addOption(tenantOption())
      .option('--source <id>', 'documents of this source')
      .option('--type <words>', 'pdf, docx, html, txt, md (several: a,b)')
      .option('--from <day>', 'first ingested on this day or later, e.g. 2026-02-15')
      .option('--to <day>', 'first ingested on this day or earlier')
      .option('--tag <words>', 'with one of these tags (several: a,b)')
      .option('--document <ids>', 'only in these documents (several: a,b)');
  withFilters(
    program
      .command('search')
      .summary('search the active documents')
      .description('Searches the active documents by words and by meaning.')
      .argument('<query...>', 'words; "exact phrase" is required, -word is excluded'),
  )
    .option('--limit <count>', 'how many', '5')
    .option('--mode <word>', 'hybrid, lexical or vector', 'hybrid')
    .option('--group', 'one result per document')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace search retention of backups\n  millrace search \'"yellow badge"\' -- -visitor',
    )
    .action((words: string[], _: SearchOptions, self: Command) =>
      search(words.join(' '), self.optsWithGlobals<SearchOptions>()),
    );
  withFilters(
    program
      .command('ask')
      .summary('ask a question of the documents')
      .description(
        'Answers from the documents and cites the page of each sentence, or says that they do not contain the answer.',
      )
      .argument('<question...>', 'in words'),
  )
    .option('--limit <count>', 'chunks of evidence', '8')
    .addHelpText('after', '\nExamples:\n  millrace ask How long are backups kept?')
    .action((words: string[], _: SearchOptions, self: Command) =>
      ask(words.join(' '), self.optsWithGlobals<SearchOptions>()),
    );
  program
    .command('eval')
    .summary('measure answers on questions of your own')
    .description(
      'Asks each question of a CSV file and says how often the expected document was found, and how often it abstained. Columns: question, document (title or id; empty: must abstain).',
    )
    .argument('<file>', 'CSV with the columns question and document')
    .addOption(tenantOption())
    .option('--limit <count>', 'chunks of evidence', '10')
    .addHelpText('after', '\nExamples:\n  millrace eval questions.csv')
    .action((file: string, _: SearchOptions, self: Command) => evaluate(file, self.optsWithGlobals<SearchOptions>()));
}

async function search(query: string, options: SearchOptions): Promise<void> {
  const { tenant, limit, mode, group, json } = options;
  const answer = await withConnection({ tenant }, ({ call }) =>
    call('search.run', {
      body: {
        query,
        limit: Number(limit),
        mode,
        group: group === true ? 'document' : 'none',
        filters: filtersOf(options),
      },
    }),
  );
  if (json) return sayJson(answer);
  for (const line of answer.why.said) say(line);
  say(answer.hits.length === 0 ? 'Nothing was found.' : answer.hits.map(describeHit).join('\n\n'));
}

async function ask(question: string, options: SearchOptions): Promise<void> {
  const { tenant, limit, json } = options;
  const answer = await withConnection({ tenant }, ({ call }) =>
    call('search.ask', { body: { question, limit: Number(limit), filters: filtersOf(options) } }),
  );
  if (json) return sayJson(answer);
  say(describeAnswer(answer));
  // Scripts see at once whether there is an answer.
  if (answer.status === 'abstained') process.exitCode = 4;
}

function filtersOf({ source, type, from, to, tag, document }: SearchOptions) {
  const several = (text: string | undefined) => text?.split(',').map((each) => each.trim());
  return {
    ...(source === undefined ? {} : { source_id: source }),
    ...(type === undefined ? {} : { type: several(type) as 'pdf'[] }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(tag === undefined ? {} : { tag: several(tag) ?? [] }),
    ...(document === undefined ? {} : { doc_id: several(document) ?? [] }),
  };
}

function describeHit(hit: Hit): string {
  const text = hit.text.replace(/\s+/g, ' ');
  const first = Math.max(0, (hit.highlights[0]?.start ?? 0) - 60);
  const shown = text.slice(first, first + SHOWN_CHARS);
  return `${hit.rank}. ${hit.title}, ${hit.unit} ${hit.page} (${hit.why})\n   ${first > 0 ? '…' : ''}${shown}${first + SHOWN_CHARS < text.length ? '…' : ''}`;
}

function describeAnswer(answer: Answer): string {
  const said = answer.why.said.map((line) => `(${line})`);
  if (answer.status === 'abstained') return [answer.reason?.text ?? 'No answer.', ...said].join('\n');
  const sources = answer.citations.map(
    ({ number, title, unit, page, version }) => `  [${number}] ${title}, ${unit} ${page}, version ${version}`,
  );
  return [answer.answer ?? '', '', ...sources, ...said].join('\n');
}

interface Outcome {
  readonly question: EvalQuestion;
  readonly answer: Answer;
  /** Place of the expected document among those found, from 1; undefined when it is not there. */
  readonly rank: number | undefined;
}

async function evaluate(file: string, { tenant, limit, json }: SearchOptions): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MillraceError('input_file_missing', { file, reason: error.code ?? error.message }, { cause: error });
  });
  const questions = readQuestions(text, file);
  const outcomes = await withConnection({ tenant }, async ({ call }) => {
    const all: Outcome[] = [];
    for (const question of questions) all.push(await askOne(call, question, Number(limit)));
    return all;
  });
  const answerable = outcomes.filter(({ question }) => question.document !== undefined);
  const foreign = outcomes.filter(({ question }) => question.document === undefined);
  const share = (some: readonly Outcome[], of: readonly Outcome[]) =>
    of.length === 0 ? null : Math.round((some.length / of.length) * 1_000) / 10;
  const figures = {
    questions: outcomes.length,
    found_percent: share(
      answerable.filter(({ rank }) => rank !== undefined),
      answerable,
    ),
    first_percent: share(
      answerable.filter(({ rank }) => rank === 1),
      answerable,
    ),
    wrongly_refused_percent: share(
      answerable.filter(({ answer }) => answer.status === 'abstained'),
      answerable,
    ),
    rightly_refused_percent: share(
      foreign.filter(({ answer }) => answer.status === 'abstained'),
      foreign,
    ),
  };
  if (json)
    return sayJson({
      ...figures,
      results: outcomes.map(({ question, answer, rank }) => ({
        question: question.question,
        document: question.document ?? null,
        rank: rank ?? null,
        status: answer.status,
        score: answer.confidence.score,
        query_id: answer.query_id,
      })),
    });
  say(
    formatFacts(
      Object.entries(figures).map(([name, value]) => [
        name.replaceAll('_', ' '),
        value === null ? undefined : String(value),
      ]),
    ),
  );
  for (const { question, answer, rank } of outcomes) {
    const isRight =
      question.document === undefined
        ? answer.status === 'abstained'
        : rank !== undefined && answer.status === 'answered';
    if (!isRight)
      say(
        `  ${question.line}: ${answer.status}, expected ${question.document ?? 'no answer'}: ${question.question.slice(0, 100)}`,
      );
  }
}

async function askOne(call: Client, question: EvalQuestion, limit: number): Promise<Outcome> {
  const answer = await call('search.ask', { body: { question: question.question, limit } });
  const documents = [...new Map(answer.evidence.map(({ doc_id: id, title }) => [id, title])).entries()];
  const at = documents.findIndex(([id, title]) => id === question.document || title === question.document);
  return { question, answer, rank: at < 0 ? undefined : at + 1 };
}

// Questions of runs that are in doubt: what they ask, and the answers.
import type { Command } from 'commander';
import { withConnection } from '../connection.ts';
import { say, sayJson } from '../output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../pages.ts';
import { describeQuestion, describeStatus, type Question } from '../runs/print-run.ts';
import { tenantOption } from '../tenant-option.ts';

interface QuestionOptions extends PageOptions {
  readonly tenant?: string;
  readonly json?: boolean;
}

export function addQuestionCommands(program: Command): void {
  const questions = program
    .command('questions')
    .summary('list and answer the questions of held runs')
    .description(
      'A run whose file may be read in more than one way asks before it stores anything, and waits for an answer.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace questions list\n  millrace questions answer 01a1e155-… as_decided\n  millrace questions answer 01a1e155-… refuse',
    );

  inPages(questions.command('list'), 200)
    .summary('list open questions, oldest first')
    .description('Lists open questions, oldest first, each with its possible answers.')
    .addOption(tenantOption())
    .action(async (_: QuestionOptions, command: Command) => {
      const options = command.optsWithGlobals<QuestionOptions>();
      const query = pageQuery(options);
      const page = await withConnection(options, ({ call }) => call('questions.list', { query }));
      sayPage(page, { json: options.json, none: 'No run asks anything.', format: formatQuestions });
    });

  questions
    .command('answer')
    .summary('answer a question')
    .description('Answers a question. The run continues at once; "refuse" ends it.')
    .argument('<question>', 'id of the question')
    .argument('<choice>', 'one of its choices')
    .addOption(tenantOption())
    .action(async (question: string, choice: string, _: QuestionOptions, command: Command) => {
      const options = command.optsWithGlobals<QuestionOptions>();
      const run = await withConnection(options, ({ call }) =>
        call('questions.answer', { params: { question_id: question }, body: { choice } }),
      );
      if (options.json) sayJson(run);
      else say(`${run.run_id} ${describeStatus(run)}   follow it: millrace tail ${run.run_id}`);
    });
}

function formatQuestions(questions: readonly Question[]): string {
  return questions.map((each) => `run ${each.run_id}\n  ${describeQuestion(each)}`).join('\n');
}

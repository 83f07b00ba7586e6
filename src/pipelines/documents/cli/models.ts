// Embedding models on the command line: which there are, and the change from one to another without a pause.
import type { Command } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { type Column, formatTable, say, sayJson } from '../../../cli/output.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';

type Model = AnswerOf<'models.list'>['data'][number];
type Comparison = AnswerOf<'models.compare'>;
type Place = Comparison['disagreements'][number]['only_model'][number];

interface ModelOptions {
  readonly tenant?: string;
  readonly json?: boolean;
  readonly against?: string;
  readonly question?: readonly string[];
}

const columns: readonly Column<Model>[] = [
  { title: 'model', value: (each) => each.model_id },
  { title: 'state', value: (each) => (each.is_previous ? `${each.state} (before)` : each.state) },
  { title: 'dims', value: (each) => String(each.dims), right: true },
  { title: 'vectors', value: (each) => `${each.vectors} of ${each.served}`, right: true },
  { title: 'note', value: noteOf },
];

export function addModelCommands(program: Command): void {
  const models = program
    .command('models')
    .summary('change the embedding model without a pause')
    .description(
      'Vectors of a new model are built beside those of the active one, in the background. Search and ask use the active model until you activate another.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace models list\n  millrace models add BAAI/bge-base-en-v1.5@http-768\n' +
        '  millrace models activate BAAI/bge-base-en-v1.5@http-768\n  millrace models rollback',
    );
  const command = (name: string, description: string) =>
    models.command(name).description(description).addOption(tenantOption());
  const naming = (name: 'add' | 'activate' | 'retire', description: string, done: (model: Model) => string) =>
    command(name, description)
      .argument('<model>', 'id of the model, see "millrace models list"')
      .action(async (id: string, _: ModelOptions, self: Command) => {
        const { tenant, json } = self.optsWithGlobals<ModelOptions>();
        const model = await withConnection({ tenant }, ({ call }) =>
          call(`models.${name}`, { body: { model_id: id } }),
        );
        if (json) sayJson(model);
        else say(done(model));
      });

  command('list', 'Lists the models of the tenant and those it could use.').action(
    async (_: ModelOptions, self: Command) => {
      const { tenant, json } = self.optsWithGlobals<ModelOptions>();
      const { data } = await withConnection({ tenant }, ({ call }) => call('models.list'));
      if (json) sayJson(data);
      else say(formatTable(columns, data));
    },
  );
  naming('add', 'Builds the vectors of a model beside those of the active one.', (model) =>
    model.state === 'building'
      ? `Model ${model.model_id} is being built: ${model.served} passages. See "millrace models list".`
      : `Model ${model.model_id} is ${model.state} already.`,
  );
  command(
    'compare',
    'Compares a model with the active one, on questions that people asked and on the documents themselves.',
  )
    .argument('<model>', 'id of the model, see "millrace models list"')
    .option('--against <model>', 'default: the active one')
    .option('--question <text...>', 'further questions to compare on')
    .action(async (id: string, _: ModelOptions, self: Command) => {
      const { tenant, json, against, question } = self.optsWithGlobals<ModelOptions>();
      const body = {
        model_id: id,
        ...(against === undefined ? {} : { against }),
        ...(question === undefined ? {} : { questions: [...question] }),
      };
      const compared = await withConnection({ tenant }, ({ call }) => call('models.compare', { body }));
      if (json) sayJson(compared);
      else say(describeComparison(compared));
    });
  naming(
    'activate',
    'Makes a model the active one; the former one stays ready.',
    (model) => `Questions are asked with ${model.model_id}. Back again: millrace models rollback`,
  );
  naming('retire', 'Stops using a model and removes its vectors.', (model) => `Model ${model.model_id} is retired.`);
  command('rollback', 'Makes the former model active again.').action(async (_: ModelOptions, self: Command) => {
    const { tenant, json } = self.optsWithGlobals<ModelOptions>();
    const model = await withConnection({ tenant }, ({ call }) => call('models.rollback', { body: {} }));
    if (json) sayJson(model);
    else say(`Questions are asked with ${model.model_id} again.`);
  });
}

function describeComparison({ by_kind: kinds, probes, disagreements, ...compared }: Comparison): string {
  const words = { asked: 'questions that were asked', given: 'questions given', probe: 'sentences of the documents' };
  const places = (label: string, found: readonly Place[]) =>
    found.slice(0, 3).map(({ title, page }) => `    only ${label}: ${title}, page ${page}`);
  return [
    `${compared.model_id} against ${compared.against}, the ten nearest chunks of each question`,
    ...kinds
      .filter(({ questions }) => questions > 0)
      .map(({ kind, questions, overlap_at_10: overlap }) => `  ${questions} ${words[kind]}: overlap ${overlap}`),
    `  sentences that found their own chunk: ${probes.found_by_model} and ${probes.found_by_against} of ${probes.count}`,
    ...(disagreements.length === 0 ? [] : ['They differ most on:']),
    ...disagreements.flatMap((each) => [
      `  ${each.question} (overlap ${each.overlap_at_10})`,
      ...places('the new', each.only_model),
      ...places('the other', each.only_against),
    ]),
  ].join('\n');
}

function noteOf({ build, is_configured: isConfigured, state }: Model): string {
  if (!isConfigured && state !== 'retired') return 'the settings do not name it any more';
  if (build === null || state === 'retired') return '';
  if (build.trouble !== null) return build.trouble;
  return build.is_running ? 'building' : '';
}

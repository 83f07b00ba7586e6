// The form that `millrace ingest` sends: the file, and the fields that its options say.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { openFile } from '../open-file.ts';
import type { IngestOption, IngestWays } from './ingest-way.ts';

/** Two pipelines may have an option of one name; it is shown as the first of them says it. */
export function addWayOptions(command: Command, { byPipeline }: IngestWays): void {
  const known = new Set<string>();
  for (const [pipeline, { options = [] }] of Object.entries(byPipeline)) {
    for (const { flags, about } of options) {
      const option = new Option(flags, `${pipeline}: ${about}`);
      if (!known.has(option.attributeName())) command.addOption(option);
      known.add(option.attributeName());
    }
  }
}

export interface FormRequest {
  readonly file: string;
  readonly pipeline: string;
  /** --corrects */
  readonly corrects?: string | undefined;
  /** --field */
  readonly fields: readonly string[];
  /** Everything that was given on the command line. */
  readonly given: Readonly<Record<string, unknown>>;
}

export async function formOf(request: FormRequest, ways: IngestWays): Promise<FormData> {
  const { file, pipeline } = request;
  const options = ways.byPipeline[pipeline]?.options ?? [];
  refuseForeign(request, options, ways);
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw new MillraceError('input_file_missing', { file, reason: error.code ?? error.message }, { cause: error });
  };
  const changedAt = (await stat(file).catch(unreadable)).mtime;
  const form = new FormData();
  form.set('pipeline', pipeline);
  for (const option of options) {
    const value = request.given[attributeOf(option)] ?? option.absent?.({ changedAt });
    if (value !== undefined) form.set(option.field, String(value));
  }
  if (request.corrects !== undefined) form.set('corrects', request.corrects);
  for (const field of request.fields) setField(form, field);
  // Last, so that the server knows the fields while the bytes arrive.
  form.set('file', await openFile(file), path.basename(file));
  return form;
}

/** An option of another pipeline would be lost silently. */
function refuseForeign({ given, pipeline }: FormRequest, own: readonly IngestOption[], { byPipeline }: IngestWays) {
  const ours = new Set(own.map(attributeOf));
  for (const [other, { options = [] }] of Object.entries(byPipeline))
    for (const option of options)
      if (given[attributeOf(option)] !== undefined && !ours.has(attributeOf(option)))
        throw new MillraceError('option_unfit', { option: longOf(option), other, pipeline });
}

function setField(form: FormData, field: string): void {
  const at = field.indexOf('=');
  if (at < 1) throw new MillraceError('field_unreadable', { field });
  form.set(field.slice(0, at), field.slice(at + 1));
}

function attributeOf({ flags }: IngestOption): string {
  return new Option(flags).attributeName();
}

function longOf({ flags }: IngestOption): string {
  return new Option(flags).long ?? flags;
}

// The fields for the pipeline, the scope and the schedule of a source.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { sentence } from '../../ui/sentence.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import type { SourceDraft } from './source-draft.ts';

interface Props {
  readonly draft: SourceDraft;
  readonly onChange: (draft: SourceDraft) => void;
}

/** Fields of an upload that a source does not set: they are of one file, or said otherwise. */
const notOfSources = new Set([
  'workspace_id',
  'client_key',
  'source_batch_id',
  'corrects',
  'retry_of',
  'title',
  'run_id',
]);

const hints: Readonly<Record<string, string>> = {
  platform: 'meta, google, tiktok … as at an upload; empty: found in each file.',
  tags: 'Separated by commas.',
  vendor: 'Who sends the files.',
  supersede: 'true: a changed file replaces its former batch; empty: Millrace refuses it and raises an alert.',
  processor: 'catalog unless told otherwise.',
  on_doubt: 'ask, proceed or fail if Millrace doubts how to read a file.',
};

export function PipelineFields({ draft, onChange }: Props): ReactNode {
  const pipelines = useQuery(pipelinesQuery).data?.data.filter(({ takes }) => takes !== null) ?? [];
  const chosen = pipelines.find(({ name }) => name === draft.pipeline);
  const asked = (chosen?.fields ?? []).filter((name) => !notOfSources.has(name));
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
      <Choice
        label="What its files become"
        value={draft.pipeline}
        options={[['', 'choose'], ...pipelines.map(({ name, takes, title }) => [name, `${title}: ${takes}`] as const)]}
        onChoose={(pipeline) => onChange({ ...draft, pipeline, fields: {} })}
      />
      {asked.map((name) => (
        <Field
          key={name}
          label={sentence(wordsOf(name))}
          value={draft.fields[name] ?? ''}
          hint={hints[name]}
          onChange={(event) => onChange({ ...draft, fields: { ...draft.fields, [name]: event.target.value } })}
        />
      ))}
      {chosen?.fields.includes('title') && (
        <Field
          label="Title"
          value={draft.titlePattern}
          placeholder="{name}"
          hint="{name}, {stem} and {path} stand for the file’s own."
          onChange={(event) => onChange({ ...draft, titlePattern: event.target.value })}
        />
      )}
    </div>
  );
}

export function ScopeFields({ draft, onChange }: Props): ReactNode {
  const set = (part: Partial<SourceDraft>) => onChange({ ...draft, ...part });
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
      <Field
        label="Prefix"
        value={draft.prefix}
        hint="Only keys that begin with it, e.g. invoices/2026/"
        onChange={(event) => set({ prefix: event.target.value })}
      />
      <Field
        label="Largest file in MB"
        type="number"
        min={0.001}
        step="any"
        value={draft.maxMegabytes}
        hint="Larger ones are refused before they are fetched. Empty: the limit of uploads."
        onChange={(event) => set({ maxMegabytes: event.target.value })}
      />
      <Patterns
        label="Include patterns"
        hint="One per line, e.g. **/*.pdf; empty: all."
        value={draft.include}
        onChange={(include) => set({ include })}
      />
      <Patterns
        label="Exclude patterns"
        hint="One per line."
        value={draft.exclude}
        onChange={(exclude) => set({ exclude })}
      />
      <Choice
        label="Files after intake"
        value={draft.afterTaken}
        options={[
          ['leave', 'stay where they are'],
          ['move', 'are moved to "taken"'],
          ...(draft.kind === 's3' ? [['tag', 'are tagged millrace=taken'] as const] : []),
        ]}
        onChoose={(value) => set({ afterTaken: value as SourceDraft['afterTaken'] })}
      />
      <Field
        label="Complete after (seconds without change)"
        type="number"
        min={0}
        max={86_400}
        value={draft.settleSeconds}
        placeholder={draft.kind === 's3' ? '0' : '30'}
        onChange={(event) => set({ settleSeconds: event.target.value })}
      />
    </div>
  );
}

export function ScheduleFields({ draft, onChange }: Props): ReactNode {
  const set = (part: Partial<SourceDraft>) => onChange({ ...draft, ...part });
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-2">
      <Field
        label="Name"
        required
        maxLength={200}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Field
        label="Schedule"
        value={draft.cron}
        hint="Minute, hour, day, month, weekday: 0 * * * * is every hour. Empty: only when asked."
        onChange={(event) => set({ cron: event.target.value })}
      />
      <Field label="Time zone" value={draft.timeZone} onChange={(event) => set({ timeZone: event.target.value })} />
      <Field
        label="Spread starts over (seconds)"
        type="number"
        min={0}
        max={86_400}
        value={draft.jitterSeconds}
        onChange={(event) => set({ jitterSeconds: event.target.value })}
      />
      <Field
        label="Stale after (hours)"
        type="number"
        min={0.02}
        step="any"
        value={draft.staleHours}
        hint="Millrace opens an alert if no sync was complete for this long."
        onChange={(event) => set({ staleHours: event.target.value })}
      />
      {draft.kind === 's3' && (
        <Field
          label="Notification queue"
          value={draft.queueUrl}
          hint="Address of an SQS queue that announces new objects; then they arrive within seconds."
          onChange={(event) => set({ queueUrl: event.target.value })}
        />
      )}
    </div>
  );
}

function Patterns({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  onChange: (value: string) => void;
}): ReactNode {
  return (
    <label className="flex flex-col gap-1 text-xs font-medium text-ink-2">
      {label}
      <textarea
        rows={2}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="control w-full font-mono text-xs"
      />
      <span className="font-normal text-ink-3">{hint}</span>
    </label>
  );
}

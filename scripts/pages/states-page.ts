// docs/states.md: every machine as a drawing and as a table.
import { machines } from '../../src/contract/pipelines/all.ts';
import type { Machine, State } from '../../src/contract/states/machine.ts';
import { code, generatedNote, table } from './markdown.ts';

const phases = [
  ['waiting', 'may be claimed once it is due'],
  ['active', 'only the holder of the current attempt may write'],
  ['done', 'ended well; the receipt adds up'],
  ['failed', 'ended; a retry is a new attempt or a linked run'],
  ['dead', 'ended as a dead letter; support may requeue it'],
] as const;

export function statesPage(all: readonly Machine[] = machines): string {
  const sections = all.toSorted((a, b) => (a.pipeline < b.pipeline ? -1 : 1)).map(machineSection);
  return `${generatedNote}
# States

Each pipeline declares its machine once, in \`src/contract/states/\`; this page, the types, the guard in the database and the console's
diagram come from that declaration. \`status\` is the pipeline's own word, \`phase\` what the engine may do with the run.

${table(
  ['phase', 'meaning'],
  phases.map(([phase, meaning]) => [code(phase), meaning]),
)}

${sections.length === 0 ? 'No pipeline has declared a machine yet.' : sections.join('\n\n')}
`;
}

function machineSection({ pipeline, version, initial, states, beyond }: Machine): string {
  const entries = Object.entries(states) as [string, State<string>][];
  const rows = entries.map(([name, { phase, stage, on }]) => [
    code(name),
    code(phase),
    stage === undefined ? '' : code(stage),
    Object.entries(on ?? {})
      .map(([event, to]) => `${code(event)} → ${code(to)}`)
      .join(', '),
  ]);
  return `## ${pipeline}

Version ${version}; a new run is ${code(initial)}.

\`\`\`mermaid
stateDiagram-v2
${drawing(initial, entries)}
\`\`\`

${table(['status', 'phase', 'stage', 'moves'], rows)}${extras(beyond)}`;
}

function extras(beyond: readonly string[]): string {
  if (beyond.length === 0) return '';
  return `\n\nBeyond the specification:\n\n${beyond.map((line) => `- ${line}`).join('\n')}`;
}

function drawing(initial: string, entries: readonly (readonly [string, State<string>])[]): string {
  const arrows = entries.flatMap(([from, { on }]) => {
    const byTarget = new Map<string, string[]>();
    for (const [event, to] of Object.entries(on ?? {})) byTarget.set(to, [...(byTarget.get(to) ?? []), event]);
    return [...byTarget].map(([to, events]) => `  ${id(from)} --> ${id(to)} : ${events.join(', ')}`);
  });
  const names = entries.filter(([name]) => id(name) !== name).map(([name]) => `  state "${name}" as ${id(name)}`);
  const ends = entries
    .filter(([, { on }]) => Object.keys(on ?? {}).length === 0)
    .map(([name]) => `  ${id(name)} --> [*]`);
  return [...names, `  [*] --> ${id(initial)}`, ...arrows, ...ends].join('\n');
}

function id(name: string): string {
  return name.replace(/\W/g, '_');
}

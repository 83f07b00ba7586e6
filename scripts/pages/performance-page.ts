// docs/performance.md: what the benches measured, from the results kept in test/bench/results.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../../test/bench/report.ts';
import { meaningOf } from './figure-meanings.ts';
import { code, generatedNote, table } from './markdown.ts';

interface Result {
  readonly bench: string;
  readonly quick: boolean;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly figures: readonly Figure[];
}

const resultsFolder = fileURLToPath(new URL('../../test/bench/results', import.meta.url));

export function performancePage(folder: string = resultsFolder): string {
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
  const parts = files.map((name) => section(name, JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Result));
  return `${generatedNote}
# Performance

Measured with \`npm run bench -- NAME\`, on the machines described below, each beside its peers on the same server in the same
run. A ratio above 1 is in Millrace's favour, unless the figure says that less is better. Ours is the median of the rounds, a peer's the best of them. All Postgres figures
with \`fsync\` and \`synchronous_commit\` on. The settings of the peers lie in \`test/bench/queue/\`, one file each; the results
in \`test/bench/results/\`.

${parts.join('\n\n') || 'Nothing has been measured yet.'}
`;
}

function section(name: string, { bench, quick, machine, figures }: Result): string {
  const rows = figures.map((figure) => [
    code(figure.id),
    `${figure.value} ${figure.unit}`,
    figure.spread ? `${figure.spread[0]} … ${figure.spread[1]}` : '',
    Object.entries(figure.peers)
      .map(([peer, value]) => (figure.ratios[peer] ? `${peer} ${value} (${figure.ratios[peer]}×)` : `${peer} ${value}`))
      .join(', '),
    meaningOf(figure.id) ?? '',
  ]);
  return `## ${bench}${quick ? ' (quick)' : ''}: ${name.replace(/\.json$/, '')}

${table(['figure', 'Millrace', 'spread', 'beside', 'what it is'], rows)}

${Object.entries(machine)
  .map(([key, value]) => `- ${key}: ${typeof value === 'object' ? describe(value) : String(value)}`)
  .join('\n')}`;
}

function describe(value: object | null): string {
  return Object.entries(value ?? {})
    .map(([key, each]) => `${key} ${String(each)}`)
    .join(', ');
}

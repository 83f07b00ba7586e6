// A run in words: one line in a list, a page of its own, its receipt as a sum.
import type { AnswerOf } from '../../contract/api/client.ts';
import { type Column, formatCount, formatFacts, formatTable, paint, plural } from '../output.ts';
import { formatDuration, relativeTime } from '../times.ts';

export type Run = AnswerOf<'runs.list'>['data'][number];
export type RunDetail = AnswerOf<'runs.show'>;
type Receipt = NonNullable<Run['receipt']>;
export type Question = AnswerOf<'questions.list'>['data'][number];

const phaseStyles = { waiting: 'cyan', active: 'blue', done: 'green', failed: 'red', dead: 'magenta' } as const;
const phaseMarks = { waiting: '○', active: '◐', done: '✔', failed: '✖', dead: '✝' } as const;

const outcomeOrder = ['inserted', 'updated', 'unchanged', 'merged', 'superseded', 'stale', 'held_back', 'rejected'];

const columns: readonly Column<Run>[] = [
  { title: 'run', value: (run) => run.run_id },
  { title: 'pipeline', value: (run) => run.pipeline },
  { title: 'status', value: describeStatus },
  { title: 'receipt', value: (run) => (run.receipt ? describeReceipt(run.receipt) : (run.error?.code ?? '')) },
  { title: 'what', value: (run) => run.title ?? '' },
  { title: 'made', value: (run) => relativeTime(run.created_at) },
];

export function formatRuns(runs: readonly Run[]): string {
  return formatTable(columns, runs);
}

export function formatRun(run: RunDetail): string {
  const facts = formatFacts([
    ['asks', run.question === null ? undefined : describeQuestion(run.question)],
    ['doubts', describeDoubts(run.receipt)],
    ['run', run.run_id],
    ['pipeline', run.pipeline],
    ['status', describeStatus(run)],
    ['what', run.title ?? undefined],
    [
      'made',
      `${relativeTime(run.created_at)} (${run.created_at})${run.created_by === null ? '' : ` by ${run.created_by}`}`,
    ],
    ['took', durationOf(run)],
    ['held', run.held ? `by ${run.held.by ?? 'somebody'} since ${run.held.at}` : undefined],
    ['waits', run.wait?.text],
    ['progress', run.progress && run.phase === 'active' ? describeProgress(run.progress) : undefined],
    ['receipt', run.receipt ? describeReceipt(run.receipt) : undefined],
    ['file', run.receipt?.content ? describeContent(run.receipt.content) : undefined],
    ['rejects', run.rejects.total > 0 ? describeRejects(run.rejects) : undefined],
    ['error', run.error ? `${run.error.message} (${run.error.code})` : undefined],
    ['next', run.next ?? undefined],
    ['retry of', run.retry_of ?? undefined],
    ['retried as', run.retried_as ?? undefined],
    ['requeued as', run.requeued_as ?? undefined],
    ['acknowledged', run.acknowledged ? `by ${run.acknowledged.by} (${run.acknowledged.reason})` : undefined],
    ...run.replays.map((replay) => ['replayed as', describeReplay(replay)] as const),
  ]);
  return run.attempts.length === 0 ? facts : `${facts}\n\n${formatAttempts(run)}`;
}

/** "✔ completed", "◑ completed, 9 refused", "◑ completed, 3 of 9 refused rows open": the mark and the words say the same as the colour. */
export function describeStatus(run: Pick<Run, 'status' | 'phase'> & Partial<Pick<Run, 'rejects'>>): string {
  const { total: refused, open } = run.rejects ?? { total: 0, open: 0 };
  if (run.phase === 'done' && refused > 0 && open !== 0) {
    const isWhole = open === null || open === refused;
    const what = isWhole
      ? `${formatCount(refused)} refused`
      : `${formatCount(open)} of ${formatCount(refused)} refused rows open`;
    return paint('yellow', `◑ ${run.status}, ${what}`);
  }
  if (run.phase === 'done' && refused > 0)
    return paint('green', `${phaseMarks.done} ${run.status}, ${formatCount(refused)} refused, none of them open`);
  return paint(phaseStyles[run.phase], `${phaseMarks[run.phase]} ${run.status}`);
}

/** "50,112 = 8,204 inserted + 41,610 updated + 222 rejected". */
export function describeReceipt(receipt: Receipt): string {
  const parts = Object.entries(receipt.outcomes ?? {})
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, count]) => `${formatCount(count)} ${name}`);
  const sum =
    parts.length === 0 ? `${formatCount(receipt.read)} read` : `${formatCount(receipt.read)} = ${parts.join(' + ')}`;
  // What a listing lacks is no part of what it read.
  const beside = {
    vanished: receipt.vanished,
    'may still be growing, the next sync looks again': receipt.settling,
    'directories could not be listed, so nothing counts as vanished': receipt.unlisted,
  };
  const told = Object.entries(beside).filter(([, count]) => Number(count ?? 0) > 0);
  return [sum, ...told.map(([what, count]) => `${formatCount(Number(count))} ${what}`)].join('; ');
}

/** The question with each answer as the command that gives it. */
export function describeQuestion({ question_id: id, text, choices, expires_at: until }: Question): string {
  const answers = choices.map(({ choice, label }) => `\n  millrace questions answer ${id} ${choice}   ${label}`);
  return `${text} Nothing is stored before it is answered (until ${until}).${answers.join('')}`;
}

/** "1 other table, 2 total differs", and a line for each in words. */
export function describeDoubts(receipt: Receipt | null): string | undefined {
  const named = Object.entries(receipt?.doubts ?? {}).map(([code, count]) => `${count} ${code.replaceAll('_', ' ')}`);
  if (named.length === 0) return undefined;
  const told = (receipt?.in_doubt ?? []).map(({ message, lines }) => `\n  ${message}${describeLines(lines)}`);
  return `${named.join(', ')}: look at how the file was read${told.join('')}`;
}

function describeLines(lines: readonly number[]): string {
  return lines.length === 0 ? '' : ` (line ${lines.join(', ')})`;
}

/** "48,213 bytes = 96 header + 48,000 row + 117 title". Of a workbook the cells say more than its packed bytes. */
function describeContent({ bytes, cells, parts }: NonNullable<Receipt['content']>): string {
  const units = cells === undefined ? { bytes } : { cells, parts };
  return Object.entries(units)
    .flatMap(([unit, tally]) => (tally === undefined ? [] : [describeTally(unit, tally)]))
    .join(' · ');
}

function describeTally(unit: string, { all = 0, ...parts }: Readonly<Record<string, number>>): string {
  const named = Object.entries(parts).map(([name, amount]) => `${formatCount(amount)} ${name.replaceAll('_', ' ')}`);
  return `${formatCount(all)} ${unit} = ${named.join(' + ')}`;
}

/** What was stored comes first, what was refused last. */
function placeOf(outcome: string): number {
  const place = outcomeOrder.indexOf(outcome);
  return place === -1 ? outcomeOrder.indexOf('rejected') - 0.5 : place;
}

export function describeProgress({ done, total, unit, per_second: rate }: NonNullable<Run['progress']>): string {
  const amount = total === null ? formatCount(done) : `${formatCount(done)}/${formatCount(total)}`;
  return `${amount} ${unit}${rate === null ? '' : ` · ${formatCount(Math.round(rate))}/s`}`;
}

function describeRejects({ open, total }: Run['rejects']): string {
  return open === null ? formatCount(total) : `${formatCount(open)} open of ${formatCount(total)}`;
}

/** "01a1e155-…: 9 refused rows taken again, ✔ completed". */
function describeReplay({ run_id: id, rows, refused, ...replay }: RunDetail['replays'][number]): string {
  const again = refused > 0 ? `, ${formatCount(refused)} of them refused again` : '';
  return `${id}: ${plural(rows, 'refused row')} taken again${again}, ${describeStatus(replay)}`;
}

function durationOf(run: RunDetail): string | undefined {
  if (run.started_at === null) return undefined;
  const end = run.finished_at === null ? Date.now() : Date.parse(run.finished_at);
  return formatDuration(end - Date.parse(run.started_at));
}

function formatAttempts(run: RunDetail): string {
  type Attempt = RunDetail['attempts'][number];
  const attemptColumns: readonly Column<Attempt>[] = [
    { title: 'stage', value: (attempt) => attempt.stage },
    { title: 'attempt', value: (attempt) => String(attempt.number), right: true },
    { title: 'outcome', value: (attempt) => attempt.outcome ?? 'running' },
    { title: 'waited', value: (attempt) => duration(attempt.queue_wait_ms), right: true },
    { title: 'worked', value: (attempt) => duration(attempt.work_ms), right: true },
    { title: 'worker', value: (attempt) => attempt.worker ?? '' },
    { title: 'error', value: (attempt) => attempt.error?.code ?? '' },
  ];
  return formatTable(attemptColumns, run.attempts);
}

function duration(ms: number | null): string {
  return ms === null ? '' : formatDuration(ms);
}

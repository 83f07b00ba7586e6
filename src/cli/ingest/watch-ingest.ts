// Watching an upload from its acceptance to its receipt: a line per stage when it is done, a moving one while it works.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Client } from '../../contract/api/client.ts';
import { clearLine, formatCount, paint, say } from '../output.ts';
import { describeDoubts, describeQuestion, type RunDetail } from '../runs/print-run.ts';
import { describeDimensions, describeReading, describeRejects, describeSums } from './describe-ingest.ts';
import type { Gate } from './ingest-way.ts';

const LOOK_EVERY_MS = 200;
const BAR = 9;
const NAME_WIDTH = 8;
const spinner = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

export interface WatchOptions {
  /** Says nothing, only waits. */
  readonly isQuiet: boolean;
  /** Of the run's pipeline, where it has one. */
  readonly gate?: Gate | undefined;
  /** What the first stage did, for pipelines that read no rows. */
  readonly describeWork?: ((receipt: NonNullable<RunDetail['receipt']>) => string) | undefined;
}

/** Returns the run when it has ended, or when it asks. */
export async function watchIngest(call: Client, runId: string, options: WatchOptions): Promise<RunDetail> {
  const { isQuiet, gate } = options;
  const told = new Set<string>();
  for (let look = 0; ; look += 1) {
    const run = await call('runs.show', { params: { run_id: runId } });
    if (!isQuiet) {
      await tellStages(call, run, told, options);
      if (run.question !== null) tellQuestion(run.question);
      else if (run.finished_at === null) drawActive(run, look);
      else tellEnd(run, gate);
    }
    if (run.finished_at !== null || run.question !== null) return run;
    await pause(LOOK_EVERY_MS);
  }
}

/** In their order: a stage is told when it is done and the one before it has been told. */
async function tellStages(call: Client, run: RunDetail, told: Set<string>, options: WatchOptions): Promise<void> {
  for (const [index, { stage, state }] of run.stages.entries()) {
    if (told.has(stage)) continue;
    // A file that the gate stopped has been read all the same, and that is what its sender wants to see.
    const isRead = index === 0 && run.receipt !== null;
    if (state !== 'done' && !isRead) return;
    const isTold = index === 0 ? await tellFirst(call, stage, run, options) : tellStage(stage, run);
    if (!isTold) return;
    told.add(stage);
  }
}

function tellStage(stage: string, run: RunDetail): boolean {
  clearLine();
  tell('✔', 'green', stage, describeDimensions(run.receipt) ?? 'done');
  return true;
}

async function tellFirst(call: Client, stage: string, run: RunDetail, options: WatchOptions): Promise<boolean> {
  const { gate, describeWork: describe } = options;
  if (describe === undefined) return tellIntake(call, run, gate);
  if (run.receipt === null && run.finished_at === null) return false;
  clearLine();
  if (run.receipt !== null) tell('✔', 'green', stage, describe(run.receipt));
  return true;
}

/** The first stage reads the file, so it is told as what was read and what was refused; false while that is not known yet. */
async function tellIntake(call: Client, run: RunDetail, gate: Gate | undefined): Promise<boolean> {
  // Before there is a receipt, rows that a later stage refuses or folds together would be counted twice or not at all.
  const read = run.receipt?.read;
  if (read === undefined && run.finished_at === null) return false;
  const params = { upload_id: run.run_id };
  const clusters = (await ifThere(call('rejects.clusters', { params: { run_id: run.run_id } })))?.data ?? [];
  const reading = await ifThere(call('uploads.reading', { params }));
  clearLine();
  tell('✔', 'green', 'intake', describeReading(reading, read));
  // Rows that wait for an answer have not failed.
  const isHeldBack = (run.receipt?.outcomes?.held_back ?? 0) > 0 && run.question === null;
  tell(
    isHeldBack ? '✖' : '✔',
    isHeldBack ? 'red' : 'green',
    'validate',
    describeRejects(clusters, read, gate?.percent),
  );
  return true;
}

function tellEnd(run: RunDetail, gate: Gate | undefined): void {
  clearLine();
  const doubts = describeDoubts(run.receipt);
  if (doubts !== undefined) tell('!', 'bold', 'doubts', doubts);
  const decided = gate?.describe(run);
  if (decided !== undefined) tell('!', 'bold', 'gate', decided);
  if (run.error !== null)
    tell('✖', 'red', run.status, `${run.error.message}${run.error.next ? ` ${run.error.next}` : ''}`);
  if (run.receipt !== null) tell('=', 'bold', 'receipt', describeSums(run.receipt));
}

function tellQuestion(question: NonNullable<RunDetail['question']>): void {
  clearLine();
  tell('?', 'bold', 'asks', describeQuestion(question));
}

function drawActive(run: RunDetail, look: number): void {
  if (!process.stdout.isTTY) return;
  const words = run.wait === null ? describeWork(run) : run.wait.text;
  const mark = paint('cyan', spinner[look % spinner.length] ?? '');
  clearLine();
  process.stdout.write(`${mark} ${(run.stage ?? run.status).padEnd(NAME_WIDTH)} ${words}`);
}

/** "31,000/49,890 rows ▇▇▇▇▇▇▁▁▁  4,100/s  ETA 5s". */
function describeWork({ progress, stage, stages }: RunDetail): string {
  // Bytes are read by the first stage only; later they are its last word, not this one's.
  if (progress === null || (progress.unit === 'bytes' && stage !== stages[0]?.stage)) return '';
  const { done, total, unit, per_second: rate, eta_at: etaAt } = progress;
  const leftS = etaAt === null ? undefined : Math.max(0, Math.round((Date.parse(etaAt) - Date.now()) / 1_000));
  const parts = [
    `${formatCount(done)}${total === null ? '' : `/${formatCount(total)}`} ${unit}`,
    total ? drawBar(done / total) : undefined,
    rate ? `${formatCount(Math.round(rate))}/s` : undefined,
    leftS === undefined ? undefined : `ETA ${leftS}s`,
  ];
  return parts.filter((part) => part !== undefined).join('  ');
}

function drawBar(share: number): string {
  const filled = Math.min(BAR, Math.round(share * BAR));
  return `${'▇'.repeat(filled)}${'▁'.repeat(BAR - filled)}`;
}

function tell(mark: string, style: Parameters<typeof paint>[0], name: string, text: string): void {
  say(`${paint(style, mark)} ${name.padEnd(NAME_WIDTH)} ${text}`);
}

/** Not every pipeline has a reading, and not every one lets it be asked for at once. */
async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

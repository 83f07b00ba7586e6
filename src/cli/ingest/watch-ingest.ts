// Watching an upload from its acceptance to its receipt: a line per stage when it is done, a moving one while it works.
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Client } from '../../contract/api/client.ts';
import { formatCount, paint, plural, say } from '../output.ts';
import type { RunDetail } from '../runs/print-run.ts';
import { describeReading, describeRejects, describeSums } from './describe-ingest.ts';

const LOOK_EVERY_MS = 200;
const BAR = 9;
const NAME_WIDTH = 8;
const spinner = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

type StageReport = RunDetail['stages'][number];

/** Returns the run when it has ended. */
export async function watchIngest(call: Client, runId: string, isQuiet: boolean): Promise<RunDetail> {
  const told = new Set<string>();
  const rowsRead = new Map<string, number>();
  for (let look = 0; ; look += 1) {
    const run = await call('runs.show', { params: { run_id: runId } });
    if (run.progress?.unit === 'rows' && run.stage !== null) rowsRead.set(run.stage, run.progress.done);
    if (!isQuiet) {
      for (const stage of run.stages) {
        if (stage.state !== 'done' || told.has(stage.stage)) continue;
        told.add(stage.stage);
        await tellStage(call, run, stage, rowsRead.get(stage.stage));
      }
      if (run.finished_at === null) drawActive(run, look);
    }
    if (run.finished_at !== null) {
      if (!isQuiet) tellEnd(run);
      return run;
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** The first stage reads the file, so it is told as what was read and what was refused. */
async function tellStage(call: Client, run: RunDetail, stage: StageReport, rows: number | undefined): Promise<void> {
  clearLine();
  if (run.stages[0]?.stage !== stage.stage) {
    tell('✔', 'green', stage.stage, rows === undefined ? 'done' : plural(rows, 'row'));
    return;
  }
  const params = { upload_id: run.run_id };
  const upload = await ifThere(call('uploads.show', { params }));
  const reading = await ifThere(call('uploads.reading', { params }));
  const clusters = await ifThere(call('rejects.clusters', { params: { run_id: run.run_id } }));
  const read = upload?.row_count ?? run.receipt?.read ?? rows;
  tell('✔', 'green', 'intake', describeReading(reading, read));
  if (clusters !== undefined) tell('✔', 'green', 'validate', describeRejects(clusters.data, read));
}

function tellEnd(run: RunDetail): void {
  clearLine();
  if (run.error !== null)
    tell('✖', 'red', run.status, `${run.error.message}${run.error.next ? ` ${run.error.next}` : ''}`);
  if (run.receipt !== null) tell('=', 'bold', 'receipt', describeSums(run.receipt));
}

function drawActive(run: RunDetail, look: number): void {
  if (!process.stdout.isTTY) return;
  const { progress, wait } = run;
  const bar = progress?.total ? `${drawBar(progress.done / progress.total)}  ` : '';
  const amount = progress
    ? `${formatCount(progress.done)}${progress.total === null ? '' : `/${formatCount(progress.total)}`} `
    : '';
  const rate = progress?.per_second ? ` ${formatCount(Math.round(progress.per_second))}/s` : '';
  const eta = progress?.eta_at
    ? `  ETA ${Math.max(0, Math.round((Date.parse(progress.eta_at) - Date.now()) / 1_000))}s`
    : '';
  const words = wait === null ? `${amount}${bar}${rate}${eta}` : wait.text;
  clearLine();
  process.stdout.write(
    `${paint('cyan', spinner[look % spinner.length] ?? '')} ${(run.stage ?? run.status).padEnd(NAME_WIDTH)} ${words}`,
  );
}

function drawBar(share: number): string {
  const filled = Math.min(BAR, Math.round(share * BAR));
  return `${'▇'.repeat(filled)}${'▁'.repeat(BAR - filled)}`;
}

function tell(mark: string, style: Parameters<typeof paint>[0], name: string, text: string): void {
  say(`${paint(style, mark)} ${name.padEnd(NAME_WIDTH)} ${text}`);
}

function clearLine(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
}

/** Not every pipeline has a reading, and not every one lets it be asked for at once. */
async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

// Reads the file into staging. It commits every piece of rows together with its rejects and the file position behind it, so that the next attempt continues
// exactly there. It reads the next piece while it writes one.
import { AdaptiveSize } from '../../engine/adaptive.ts';
import type { RejectRecord } from '../../engine/sql/insert-rejects.ts';
import { linkReturnedRejects, type ReturnedLines } from '../../engine/sql/link-returned-rejects.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { Queryable } from '../../platform/database.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { openTable } from '../../tabular/read-table.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import type { ReturnedRow } from '../../tabular/returned-rows.ts';
import { stagePieces } from '../../tabular/stage-pieces.ts';
import type { ImportState } from './import-state.ts';
import type { JudgmentsInput } from './input.ts';
import type { BatchReading } from './reading.ts';
import { type RepeatedRow, type RowError, RowStager, type StagedPiece } from './row-stager.ts';
import { insertSupersededRows, type SupersededRow } from './sql/insert-superseded-rows.ts';
import {
  compareRepeated,
  type RepeatedCase,
  type Staged,
  type StagingTarget,
  stageNewRows,
  stageRows,
} from './sql/stage-rows.ts';

type Context = StageContext<JudgmentsInput>;

export interface StagingOptions {
  readonly batchBytes?: number;
  readonly flushRows?: number;
  /** Told of refused rows once they are on disk. */
  readonly onErrors: (errors: readonly RowError[]) => void;
}

interface Target extends StagingTarget {
  /** Whether the file has named a case twice; it is likely to do so again. */
  repeats: boolean;
}

interface Found {
  readonly staged: number;
  readonly superseded: number;
  readonly rejected: number;
}

const FLUSH = { name: 'rows per flush', initial: 8_000, min: 1_000, max: 64_000, targetMs: 500 } as const;
const nothing: Found = { staged: 0, superseded: 0, rejected: 0 };

export async function stageFile(
  context: Context,
  source: ByteSource,
  decided: BatchReading,
  from: ImportState,
  options: StagingOptions,
): Promise<ImportState> {
  const { reading } = decided;
  const table =
    context.input.replay_of === undefined ? openTable(source, reading, options) : replayTable(source, reading);
  const stager = new RowStager(decided, context.input.null_token, from, source.size);
  const initial = options.flushRows ?? FLUSH.initial;
  const size = new AdaptiveSize({ ...FLUSH, initial, min: Math.min(FLUSH.min, initial), onDecision: context.decide });
  const target = { batchId: context.run.id, tenantId: context.run.tenantId, repeats: from.counts.superseded > 0 };
  const { corrects } = context.input;
  let state = from;
  const write = async (isLast: boolean, lines: ReturnedRow[]) => {
    const piece = stager.take();
    const links = { tenantId: target.tenantId, original: corrects ?? '', runId: target.batchId, lines };
    const { found, errors, checkpoint } = await commitPiece(context, target, piece, links, isLast);
    stager.settle(found);
    state = checkpoint;
    options.onErrors(errors);
    return piece.rows;
  };
  await stagePieces(context, {
    batches: table.batches(from.position),
    stager,
    size,
    totalBytes: source.size,
    returnedAs: corrects === undefined ? null : reading.header.value.names,
    write,
  });
  return state;
}

async function commitPiece(
  context: Context,
  target: Target,
  piece: StagedPiece,
  links: ReturnedLines,
  isLast: boolean,
) {
  const rejects = [...piece.rejects];
  const errors = [...piece.errors];
  const checkpoint: ImportState = { ...piece.state };
  const found = await context.commit(
    async (tx) => {
      const settled = await writePiece(tx, target, piece, rejects, errors);
      await linkReturnedRejects(tx, links);
      Object.assign(checkpoint, withFound(piece.state, settled, isLast));
      return settled;
    },
    { checkpoint, rejects },
  );
  return { found, errors, checkpoint };
}

/** Adds to `rejects` and `errors` what only the database knows: cases that an earlier line has with other values. */
async function writePiece(
  tx: Queryable,
  target: Target,
  piece: StagedPiece,
  rejects: RejectRecord[],
  errors: RowError[],
): Promise<Found> {
  if (piece.columns === null) return nothing;
  const { staged, repeated } = await stagePiece(tx, target, piece.columns);
  if (repeated.length === 0) return { ...nothing, staged };
  const rows = new Map(repeated.map((rowIndex) => [rowIndex, piece.again(rowIndex)]));
  const compared = await compareRepeated(tx, target.batchId, [...rows.values()].map(repeatedCase));
  const superseded: SupersededRow[] = [];
  let rejected = 0;
  for (const { row_index: rowIndex, first_index: firstIndex, first_line: firstLine, is_same: isSame } of compared) {
    const row = rows.get(rowIndex) as RepeatedRow;
    if (isSame) {
      superseded.push({ rowIndex, line: row.line, firstIndex });
      continue;
    }
    rejected++;
    rejects.push(row.reject(firstLine));
    errors.push({ rowNumber: rowIndex + 1, code: 'case_repeated' });
  }
  await insertSupersededRows(tx, target, superseded);
  return { staged, superseded: superseded.length, rejected };
}

/** Files rarely name a case twice: the cheap way is tried until one does. */
async function stagePiece(tx: Queryable, target: Target, columns: readonly Buffer[]): Promise<Staged> {
  const staged = target.repeats ? false : await stageNewRows(tx, target, columns);
  if (staged !== false) return { staged, repeated: [] };
  target.repeats = true;
  return stageRows(tx, target, columns);
}

function withFound(state: ImportState, found: Found, isLast: boolean): ImportState {
  const { counts } = state;
  return {
    ...state,
    step: isLast ? 'load' : 'rows',
    counts: {
      ...counts,
      staged: counts.staged + found.staged,
      superseded: counts.superseded + found.superseded,
      rejected: counts.rejected + found.rejected,
    },
  };
}

function repeatedCase({ rowIndex, row }: RepeatedRow): RepeatedCase {
  return {
    row_index: rowIndex,
    case_number: row.caseNumber,
    county_key: row.countyKey,
    plaintiff_name: row.plaintiffName,
    defendant_name: row.defendantName,
    judgment_amount: row.amount,
    filing_date: row.filingDate,
    email: row.email,
    phone: row.phone,
    address: row.address,
  };
}

// A reading in the words of the API, for every pipeline that reads tables: what was decided and why, the lines set aside, the first rows.
import type { z } from 'zod';
import type { Reading as ApiReading } from '../../contract/api/reading.ts';
import type { ByteSource } from '../../tabular/byte-source.ts';
import { type Confidence, chosenByUser, type Decision } from '../../tabular/decision.ts';
import { defaultTotalWords } from '../../tabular/layout/total-words.ts';
import { openTable } from '../../tabular/read-table.ts';
import type { Reading } from '../../tabular/reading.ts';

type View = z.infer<typeof ApiReading>;
export type Sample = View['sample'];

/** A line of the file that is no row of data. */
export interface SetAsideLine {
  readonly line: number;
  readonly kind: string;
  readonly text: string;
}

const SAMPLE_ROWS = 20;

const words: Readonly<Record<Confidence, 'certain' | 'likely' | 'guess'>> = {
  exact: 'certain',
  likely: 'likely',
  guess: 'guess',
};
const BY_USER = 'chosen by the user';

export function viewReading(
  uploadId: string,
  reading: Reading,
  furniture: readonly SetAsideLine[],
  sample: Sample,
): View {
  const { dialect, sheet, header, columns } = reading;
  const dates = columns.find(({ dateOrder }) => dateOrder !== undefined)?.dateOrder;
  const order = dates?.value === 'ymd' || dates?.value === 'dmy' || dates?.value === 'mdy' ? dates.value : null;
  return {
    upload_id: uploadId,
    format: sure(reading.format, 'by its content'),
    encoding: shown(reading.encoding, ({ name }) => name),
    delimiter: dialect === undefined ? sure(null, 'the format has none') : shown(dialect, (value) => value.delimiter),
    quote: dialect === undefined ? sure(null, 'the format has none') : shown(dialect, (value) => value.quote),
    escape: dialect === undefined ? sure(null, 'the format has none') : shown(dialect, (value) => value.escape),
    line_end: dialect === undefined ? sure(null, 'the format has none') : shown(dialect, (value) => value.lineEnd),
    header_line: shown(header, ({ lines }) => lines.at(-1) ?? null),
    header_lines: shown(header, ({ lines }) => [...lines]),
    sheet: sheet === undefined ? sure(null, 'the format has none') : shown(sheet, ({ name }) => name),
    sheets: [...(sheet?.value.names ?? [])],
    records_key:
      reading.recordsKey === undefined ? sure(null, 'the format has none') : shown(reading.recordsKey, (key) => key),
    decimal: shown(reading.numbers, ({ decimal }) => decimal),
    thousands: shown(reading.numbers, ({ group }) => group),
    date_order: dates === undefined ? sure(null, 'no column holds dates') : shown(dates, () => order),
    date_orders: Object.fromEntries(
      columns.flatMap(({ name, dateOrder }) =>
        dateOrder === undefined ? [] : [[name, shown(dateOrder, (value) => value)] as const],
      ),
    ),
    empty_markers: viewMarkers(reading),
    total_words: viewTotalWords(reading),
    furniture: furniture.map(({ line, kind, text }) => ({
      line,
      kind: setAsideKind(kind),
      text,
      put_back: reading.keptLines.includes(line),
    })),
    header: [...header.value.names],
    sample,
    warnings: reading.warnings.map(({ code, column = null, message }) => ({ code, column, message })),
    doubts: (reading.doubts ?? []).map(({ code, message, evidence, rowsAtStake, lines, holds = false }) => ({
      code,
      message,
      evidence: { for: [...evidence.for], against: [...evidence.against] },
      rows_at_stake: rowsAtStake,
      lines: [...lines],
      holds,
    })),
  };
}

function viewMarkers({ columns, emptyMarkers }: Reading) {
  if (emptyMarkers !== undefined) return shown(chosenByUser([...emptyMarkers]), (markers) => markers);
  return sure([...new Set(columns.flatMap((column) => column.emptyMarkers))], 'found in the sample');
}

function viewTotalWords({ totals }: Reading) {
  const usual = new Set(defaultTotalWords);
  const isUsual = totals.words.length === usual.size && totals.words.every((word) => usual.has(word));
  return isUsual
    ? sure([...totals.words], 'the usual words')
    : shown(chosenByUser([...totals.words]), (words) => words);
}

function shown<T, V>(decision: Decision<T>, value: (of: T) => V) {
  const { confidence, reason } = decision;
  return { value: value(decision.value), confidence: words[confidence], reason, overridden: reason === BY_USER };
}

function sure<V>(value: V, reason: string) {
  return { value, confidence: 'certain' as const, reason, overridden: false };
}

function setAsideKind(kind: string): View['furniture'][number]['kind'] {
  if (kind === 'repeated_header') return 'header';
  if (kind === 'note') return 'footer';
  return kind === 'header' || kind === 'blank' || kind === 'total' || kind === 'footer' ? kind : 'preamble';
}

/** The first rows of data, as they stand in the file. A file that is gone has no sample. */
export async function sampleOf(source: ByteSource, reading: Reading): Promise<Sample> {
  const sample: Sample = [];
  try {
    for await (const batch of openTable(source, reading, { batchBytes: 64 * 1024 }).batches()) {
      for (const row of batch.dataRows()) {
        if (sample.length >= SAMPLE_ROWS) return sample;
        sample.push({ line: batch.line(row), cells: batch.texts(row) });
      }
      if (sample.length >= SAMPLE_ROWS) return sample;
    }
  } catch {
    return sample;
  }
  return sample;
}

export function setAsideOf(reading: Reading): SetAsideLine[] {
  return [
    ...reading.preamble.map(({ line, text }) => ({ line, kind: 'preamble', text })),
    ...reading.header.value.lines.map((line) => ({
      line,
      kind: 'header',
      text: reading.header.value.names.join(' · '),
    })),
  ];
}

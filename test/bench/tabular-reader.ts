// How fast bytes become cells and records, without a database: `npx tsx test/bench/tabular-reader.ts [--rows N] [--json FILE]`.
// A 190-byte ads row: quotes, thousands, unicode now and then, long ids. Each step is timed three times; the medians of wall and
// CPU time are printed (on a busy machine only the latter tells something).
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse';
import { type ByteSource, fileSource } from '../../src/tabular/byte-source.ts';
import { FieldCatalogue } from '../../src/tabular/mapping/fields.ts';
import { suggestMapping } from '../../src/tabular/mapping/suggest-mapping.ts';
import { openTable, readTable } from '../../src/tabular/read-table.ts';
import type { Reading } from '../../src/tabular/reading.ts';
import { RowParser } from '../../src/tabular/validation/row-parser.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '266000' }, json: { type: 'string' } } });
const rowCount = Number(values.rows);

const names = [
  'Reporting starts',
  'Campaign name',
  'Campaign ID',
  'Ad set name',
  'Ad set ID',
  'Ad name',
  'Ad ID',
  'Impressions',
  'Clicks',
  'Spend (USD)',
  'Result',
  'Status',
];
const catalogue = new FieldCatalogue([
  { name: 'day', title: 'Day', kind: 'date', isRequired: true, synonyms: ['Reporting starts'] },
  { name: 'campaign', title: 'Campaign name', kind: 'text', synonyms: [] },
  { name: 'campaign_id', title: 'Campaign ID', kind: 'id', synonyms: [] },
  { name: 'ad_set', title: 'Ad set name', kind: 'text', synonyms: [] },
  { name: 'ad_set_id', title: 'Ad set ID', kind: 'id', synonyms: [] },
  { name: 'ad', title: 'Ad name', kind: 'text', synonyms: [] },
  { name: 'ad_id', title: 'Ad ID', kind: 'id', synonyms: [] },
  { name: 'impressions', title: 'Impressions', kind: 'integer', synonyms: [] },
  { name: 'clicks', title: 'Clicks', kind: 'integer', synonyms: [] },
  { name: 'spend', title: 'Spend', kind: 'money', synonyms: [] },
]);

function line(i: number): string {
  const day = `2024-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`;
  const accent = i % 10 === 0 ? 'été' : 'summer';
  const impressions = `"${(i % 900) + 1},${String(i % 1000).padStart(3, '0')}"`;
  return `${day},Campaign ${i % 40} ${accent} collection,1202100000000${10000 + (i % 40)},"Ad set ${i % 200}, prospecting",1202200000000${10000 + (i % 200)},"Ad ""${i % 1900}"" video",1202300000000${10000 + (i % 1900)},${impressions},${i % 500},${(i % 10_000) / 100},link_click,active\n`;
}

async function writeTable(path: string): Promise<void> {
  const file = await open(path, 'w');
  await file.write(`${names.join(',')}\n`);
  for (let i = 0; i < rowCount; ) {
    let block = '';
    for (let k = 0; k < 10_000 && i < rowCount; k++, i++) block += line(i);
    await file.write(block);
  }
  await file.close();
}

interface Timing {
  readonly rowsPerSecond: number;
  readonly rowsPerCpuSecond: number;
}

async function timed(work: () => Promise<number>): Promise<Timing> {
  const wall: number[] = [];
  const cpu: number[] = [];
  let rows = 0;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    const before = process.cpuUsage();
    rows = await work();
    const used = process.cpuUsage(before);
    wall.push((performance.now() - start) / 1000);
    cpu.push((used.user + used.system) / 1e6);
  }
  const median = (figures: number[]) => figures.sort((a, b) => a - b)[1] ?? 0;
  return { rowsPerSecond: Math.round(rows / median(wall)), rowsPerCpuSecond: Math.round(rows / median(cpu)) };
}

const steps: Readonly<Record<string, (source: ByteSource, reading: Reading) => Promise<number>>> = {
  'sniff (decide the reading)': async (source) => {
    await readTable(source);
    return rowCount;
  },
  'bytes to cells (spans)': async (source, reading) => {
    let rows = 0;
    for await (const batch of openTable(source, reading).batches()) rows += batch.rowCount;
    return rows;
  },
  'bytes to cells (every cell as text)': async (source, reading) => {
    let rows = 0;
    let characters = 0;
    for await (const batch of openTable(source, reading).batches()) {
      rows += batch.rowCount;
      for (const row of batch.dataRows())
        for (let column = 0; column < names.length; column++) characters += batch.text(row, column).length;
    }
    return characters > 0 ? rows : 0;
  },
  'bytes to records (parsed and checked)': async (source, reading) => {
    const parser = new RowParser(reading, suggestMapping(reading.columns, catalogue, []).columns, catalogue);
    let rows = 0;
    let issues = 0;
    for await (const batch of openTable(source, reading).batches()) {
      for (const row of batch.dataRows()) {
        rows++;
        issues += parser.parse(batch, row).issues.length;
      }
    }
    return issues === 0 ? rows : 0;
  },
  'csv-parse (the reference)': async (source) => {
    let rows = 0;
    const parser = parse();
    const feeding = (async () => {
      for await (const chunk of source.open(0))
        if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
      parser.end();
    })();
    for await (const _ of parser) rows++;
    await feeding;
    return rows;
  },
};

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
try {
  const path = join(folder, 'ads.csv');
  await writeTable(path);
  const source = await fileSource(path);
  const { reading } = await readTable(source);
  const figures = [];
  console.log(
    `${rowCount} rows, ${(source.size / rowCount).toFixed(0)} bytes each, ${(source.size / 1e6).toFixed(0)} MB; Node ${process.version}, ${cpus()[0]?.model} × ${cpus().length}`,
  );
  for (const [name, step] of Object.entries(steps)) {
    const { rowsPerSecond, rowsPerCpuSecond } = await timed(() => step(source, reading));
    const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
    const shown = [rowsPerSecond, rowsPerCpuSecond].map((figure) => figure.toLocaleString('en').padStart(12));
    console.log(`${name.padEnd(40)} ${shown[0]} rows/s ${shown[1]} rows/CPU s   peak RSS ${peakMb} MB`);
    figures.push({ id: name, value: rowsPerSecond, unit: 'rows/s', rowsPerCpuSecond, peakMb });
  }
  if (values.json !== undefined)
    await writeFile(
      values.json,
      JSON.stringify({ machine: `${cpus()[0]?.model} × ${cpus().length}`, figures }, null, 2),
    );
} finally {
  await rm(folder, { recursive: true });
}

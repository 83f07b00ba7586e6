// docs/performance.md: what the benches measured, from the results kept in test/bench/results.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../../test/bench/report.ts';
import { code, generatedNote, table } from './markdown.ts';

interface Result {
  readonly bench: string;
  readonly quick: boolean;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly figures: readonly Figure[];
}

const resultsFolder = fileURLToPath(new URL('../../test/bench/results', import.meta.url));

/** What each figure is, for a reader who has not seen the bench. */
const meanings: Readonly<Record<string, string>> = {
  'drain-1p': 'no-op runs drained by one worker process, history and events kept',
  'drain-2p': 'the same with two worker processes',
  'enqueue-bulk': 'runs submitted 10,000 at a time',
  'enqueue-single': 'runs submitted one by one, each awaited',
  'enqueue-50': 'the same with 50 under way at a time',
  'idle-p50': 'from submission to the start of the handler in another, idle process: median',
  'idle-p95': 'the same: 95th percentile',
  'idle-p99': 'the same: 99th percentile',
  'fairness-ms': 'A has 20,000 runs queued, B adds 10: until the last of them has started',
  'past-ratio': 'drain with ten million (quick: 200,000) ended runs in the history, against an empty one',
  'past-list-p95': 'pages of runs at random depths of that history, with the filters people use: 95th percentile',
  'history-ratio': 'drain with a million (quick: 100,000) finished runs in the ledger, against an empty one',
  'history-future-ratio': 'the same with as many runs planned for next year',
  'history-failed-ratio': 'the same with as many failed runs',
  'first-load':
    'a 50 MB ads export from the first byte sent until its numbers are in the tables; peers only load the raw rows. Times theirs: less is better',
  're-load': 'the same file again, nothing changed. Times the first load: less is better',
  'large-load': '500 MB with the cap raised. Times theirs: less is better',
  'worker-rss': 'the most memory that the server process held during the loads of 50 MB',
  'large-rss': 'the same during the load of 500 MB',
  'upload-rate': 'a 50 MB file received, hashed and stored, beside a bare Node server that only hashes and writes',
  'upload-rss': 'the most that the receiving process grew over its idle state while it took three such files',
  'runs-list-p95': 'pages of the ledger at random depths, with the filters people use: 95th percentile',
  'page-cpu-ms':
    'CPU of the process that reads, per page of a PDF, without OCR; each document is a round (bar: at most 20 ms)',
  'child-rss': 'the most memory that process held over all documents (bar: at most 250 MB)',
  'section-cpu-ms': 'the same CPU per section of an HTML document, start of the process included',
  'embed-wasm':
    'passages of 120 words embedded per second of CPU, on the runtime that comes with Millrace (bar: at least 3)',
  'embed-native': 'the same on onnxruntime-node (bar: at least 25)',
  'upload-to-searchable':
    'a PDF of ten pages of 400 words, from the first byte stored until it is served, on the wasm runtime',
  'reingest-ratio':
    'a document whose pages changed by 5 % ingested again, against the first time (bar: at most 0.25). Less is better',
  'ndcg-lexical': 'documents found by words, cranfield, in through /v1/ingest and asked through /v1/search: nDCG@10',
  'ndcg-vector': 'the same by vectors',
  'ndcg-hybrid': 'the same by both (bar: at least 0.44)',
  'abstain-foreign': 'questions of the other collection that were refused (bar: at least 95 %)',
  'abstain-own': 'own questions that were refused. Less is better (bar: at most 7 %)',
  'abstain-gone':
    'own questions that were refused while their relevant documents were deactivated; others on the same subject stayed',
  'lexical-p95': 'a search by words over HTTP, 200,000 chunks of one tenant: 95th percentile (bar: at most 120 ms)',
  'vector-p95': 'the same by vectors, the question embedded before (bar: at most 110 ms)',
  'tenant-p95': 'the slower of both for one of 1,000 tenants with 200 chunks each (bar: at most 25 ms)',
  'vector-recall':
    'of the ten nearest of 200,000 generated vectors, those that signatures and exact scores bring (bar: at least 0.98)',
  'sse-p95': 'from the commit of an event to its arrival at each live reader: 95th percentile',
};

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
    meanings[figure.id] ?? '',
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

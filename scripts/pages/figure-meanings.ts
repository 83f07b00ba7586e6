// What each figure of the benches is, for a reader who has not seen the bench. Figures that vary one thing (the collection, the size, the
// percentile) are described by their parts.

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
  'fairness-crowd-ms':
    'ten runs of one tenant among a thousand tenants with work queued: until the last of the ten has started',
  'long-runs-ratio':
    'long runs spread over four workers: the time they took against the shortest possible. Less is better',
  'horizon-ratio': 'drain while another session keeps an old snapshot open, against without',
  'pooled-drain': 'drain behind PgBouncer against one past it',
  'judgments-first':
    'a file of 200,000 judgments from upload to stored, beside the same rows loaded by hand-written SQL that checks nothing',
  'judgments-again': 'the same file again: every row is found and left as it is',
  'messy-score':
    'generated exports with two to five defects each, scored against what a person would read: success, header, rows and cells (bar: at least 9.2)',
  'header-f1': 'of the same files, precision and recall of the column names (bar: at least 0.88)',
  'one-defect-score': 'the same score on files with one defect each (bar: at least 9.96)',
  'clean-held': 'files without any defect that are held with a question. Less is better (bar: 0)',
  'misread-doubted': 'of the files that scored below 9.5, those with a doubt on their receipt, or refused',
  'misread-held': 'of the same, those that are held with a question before anything is stored, or refused',
  'diff-rate': 'a whole sync of 100,000 objects of which none has changed: listed over HTTP, compared, receipted',
  'diff-rss': 'how much the process grows meanwhile, at its largest',
  'diff-rate-1m': 'the same sync with 1,000,000 objects',
  'diff-rss-1m': 'how much the process grows in that one: flat means not ten times as much',
  'first-sync':
    '10,000 objects of 1 kB become stored files and runs; the peer lists, downloads and writes the same files, without hash, ledger or fsync',
  'persist-ratio':
    'rows of five cells from the claim of their job until the last is stored, in seconds against psql copying the same file into a table of texts without keys (bar: at most 6). Less is better',
  'persist-like-ours':
    'the same against psql copying the same rows, with their JSON, into a table with the columns, keys, checks and indexes of ours. Less is better',
  'persist-rows': 'the same as a rate',
  'items-rate':
    'items through a processor that does nothing, result and attempt of each on record, one worker; a queue holds a job per item',
  'items-rate-2': 'the same with two workers',
  'storm-recovery':
    'after five seconds in which the other side refuses everything: until nine tenths of the rate of before are back. Less is better',
  'export-ratio':
    'a workbook of 200,000 rows and 20 columns in seconds against the bare library writing the same cells from memory (bar: at most 1.1). Less is better',
  'export-rss': 'the most memory that process held (bar: at most 200 MB)',
  'page-p95': 'the first page of a grid of 5,000,000 items: 95th percentile (bar: at most 25 ms)',
  'page-middle-p95': 'a page from its middle',
  'page-rare-p95':
    'the first page of two statuses of which one item in 100,000 has the one and none the other (bar: at most 25 ms)',
  'sse-p95': 'from the commit of an event to its arrival at each live reader: 95th percentile',
};

const ways: Readonly<Record<string, string>> = { lexical: 'by words', vector: 'by vectors', hybrid: 'by both' };
const qualities: Readonly<Record<string, string>> = {
  ndcg: 'nDCG@10, how well the first ten are ordered',
  hit: 'the share of questions with a relevant document among the first ten',
};
const percentiles: Readonly<Record<string, string>> = { p50: 'median', p95: '95th percentile' };

export function meaningOf(id: string): string | null {
  return meanings[id] ?? qualityOf(id) ?? latencyOf(id);
}

/** `hit-vector-cisi`. */
function qualityOf(id: string): string | null {
  const [, quality = '', way = '', collection = ''] = /^(ndcg|hit)-(lexical|vector|hybrid)-(\w+)$/.exec(id) ?? [];
  return collection === ''
    ? null
    : `documents found ${ways[way]} in the collection ${collection}: ${qualities[quality]}`;
}

/** `lexical-p50`, `vector-p95-5000`, `tenant-hybrid-p95`. */
function latencyOf(id: string): string | null {
  const [, tenant, way = '', percentile = '', chunks] =
    /^(tenant-)?(lexical|vector|hybrid)-(p50|p95)(?:-(\d+))?$/.exec(id) ?? [];
  if (way === '') return null;
  const where =
    tenant === undefined
      ? `${Number(chunks ?? 200_000).toLocaleString('en')} chunks of one tenant`
      : 'one of 1,000 tenants with 200 chunks each';
  return `a search ${ways[way]} over HTTP, ${where}: ${percentiles[percentile]}`;
}

// Rules of our own that the linter does not know. Each names the file, the line and what to do instead.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kits } from '../src/pipelines/all.ts';
import { judgmentsTests } from '../test/support/heard.ts';
import { listFiles, type SourceFile } from './source-files.ts';
import { findUnusedExports } from './unused-exports.ts';

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
}

type Rule = (file: SourceFile) => Finding[];

const pipelineNames = kits.map(({ name }) => name);

/** The lists that a new pipeline is entered in. No other file outside its folders names it. */
const pipelineLists: readonly string[] = [
  'src/pipelines/all.ts',
  'src/pipelines/programs.ts',
  'src/contract/pipelines/all.ts',
  'src/contract/pipelines/routes.ts',
  'console/src/pipelines/all.ts',
];

/** Files that may hold the word, each with its reason. No shared file of the console is among them. */
const knowsPipelines: ReadonlyMap<string, string> = new Map([
  ['src/tabular/mapping/header-name.ts', 'a word that headers hold'],
  ['src/pipelines/sources/cli/sources.ts', 'the example in the help of a command'],
  ['scripts/imports.ts', 'a layer of that name'],
]);

/** Tables and views of the engine's schema, from the golden dump. */
const engineTables = [
  ...readFileSync(new URL('../db/schema.sql', import.meta.url), 'utf8').matchAll(
    /^create (?:unlogged )?(?:table|view) engine\.([a-z_]+)/gm,
  ),
].map((match) => match[1] ?? '');

/** What statements outside the engine may name of its schema, by folder. */
const ownsTables: readonly (readonly [folder: RegExp, tables: RegExp, reason: string])[] = [
  [
    /^src\/outbound\//,
    /^(?:alert_.*|alerts|deliveries|delivery_tries|webhook_endpoints)$/,
    'its own tables, in that schema',
  ],
  [
    /^src\/pipelines\//,
    /^(?:runs|attempts|all_runs|all_attempts|all_keys|all_events|blobs|rejects|row_outcomes)$/,
    'what a pipeline joins its own rows with: one statement, under the role of its stage',
  ],
];

/** Single statements that join tables of their own with the queue, each with its reason. */
const joinsLedger: ReadonlyMap<string, string> = new Map([
  ['src/outbound/alerts/sql/read-metrics.ts', 'figures of alerts in the words of the specifications, over all tenants'],
  ['src/outbound/alerts/sql/read-run-facts.ts', 'the labels that alerts give runs'],
  ['src/outbound/alerts/sql/read-open-alerts.ts', 'open alerts joined with the runs and schedules they are about'],
  ['src/outbound/webhooks/sql/feed-deliveries.ts', 'deliveries and a test event in one statement'],
  ['src/pipelines/judgments/sql/read-ingest-figures.ts', 'the views of the specification joined with flagged runs'],
  [
    'src/pipelines/judgments/sql/read-report-facts.ts',
    'the alerts of the specification: depths of its own dead letters and queue',
  ],
  ['src/pipelines/syncs/sql/read-figures.ts', 'the five figures of the specification in one statement'],
]);

/** Words that only we would understand, and what any engineer says instead. */
const oldWords: readonly (readonly [words: RegExp, instead: string])[] = [
  [
    /(?<!by )\b[Hh]and(?:s|ed|ing)? (?:(?:it|them|runs|files) )?in\b(?! (?:order|pieces))|\bhanded?In/i,
    'upload or submit',
  ],
  [/\b(?:un)?mend(?:s|ed|ing|able)?\b/i, 'fix'],
  // The receipt and the reading of a file carry it as a key, which clients know.
  [/[a-z#_]Furniture|\bFurniture|furniture[A-Z]|FURNITURE|\bfurniture (?:[a-z]|\()(?!rom upload)/, 'set-aside line'],
  // The path that programs knew first still answers.
  [/(?<!ads[./])passport/i, 'provenance'],
  [/\b[Dd]esks?\b|[a-z]Desk(?!top)/, 'service'],
  [/\b[Dd]oors?\b|[a-z]Door(?!bell)/, 'intake, API or entry point'],
  [/\b(?:first|next|stood|stands?|waits?|runs?) in line\b/, 'queued'],
  [/\blook(?:s|ed|ing)? through\b/i, 'sync, list, search or read'],
  [/(?<!-)\banew\b/i, 'again'],
  [/\bput right\b/i, 'fixed or corrected'],
  [/\b(?:is|are|been|runs?|jobs?|batch(?:es)?) in work\b/i, 'active'],
  [/\bset[- ]up (?:is )?wrong\b|\bwrong set-up\b/i, 'wrong configuration'],
  [/\baffairs?\b|\bnobody['’]s business\b/i, 'who decides it, or whom it concerns'],
  [/\bwaiting lines?\b/i, 'lane or queue'],
  [/\bin vain\b/i, 'without result'],
  [/\bwithout a word\b/i, 'silently'],
  [/\bsigns? of life\b/i, 'activity or heartbeat'],
  [/\b(?:bring(?:s|ing)?|brought) along\b/i, 'contain or come with'],
  [/\bhand(?:s|ed|ing)? on\b/i, 'pass on'],
];

/** Where such a word is not ours: file, and why. */
const quotesWords: ReadonlyMap<string, string> = new Map([
  ['scripts/rules.ts', 'the list itself'],
  ['scripts/rules.test.ts', 'tests of the list'],
  ['test/bench/reading/table.ts', 'goods that are sold'],
]);

const folders = ['src', 'test', 'scripts', 'examples', 'console', 'db/migrations'];
const maxLines = 450;
const maxTestLines = 700;

/** Whose folder a file lies in. */
function pipelineOf(file: string): string | undefined {
  return /^(?:src\/(?:contract\/)?|console\/src\/)pipelines\/([a-z-]+)\//.exec(file)?.[1];
}

/** Relative paths, whether they are imported, loaded when needed, or made a URL. */
function pathsIn(line: string): string[] {
  return [...line.matchAll(/['"`](\.{1,2}\/[^'"`]*)['"`]/g)].map((match) => match[1] ?? '');
}

/** What is counted may be called items, whichever pipeline counts; a field of a type may have any name. */
function isOtherWord(line: string): boolean {
  return /\bunit\b.*'items'|[A-Z]\w*\['[a-z]+'\]/.test(line);
}

const isTest = (name: string) => /\.test\.tsx?$/.test(name) || name.startsWith('test/');
const isCode = (name: string) => /\.tsx?$/.test(name);
const isProduct = (name: string) => name.startsWith('src/') && isCode(name) && !isTest(name);
const isConsole = (name: string) => name.startsWith('console/src/') && isCode(name) && !isTest(name);
const isScript = (name: string) => /^scripts\/(?!rules\.ts$)/.test(name) && isCode(name) && !isTest(name);
const isSql = (name: string) => name.endsWith('.sql') || /\/sql\/|^src\/engine\/reads\//.test(name);

const rules: readonly Rule[] = [
  function lengthOfFiles({ name, text }) {
    const limit = isTest(name) ? maxTestLines : maxLines;
    const lines = text.split('\n').length - 1;
    if (!isCode(name) || lines <= limit) return [];
    return [{ file: name, line: limit, rule: `${lines} lines; at most ${limit}: split it by what it is about` }];
  },

  function headerComment({ name, text }) {
    const long = text.split('\n').length > 40;
    if (!isProduct(name) || isSql(name) || !long || /^(?:#!.*\n)?\/[/*]/.test(text)) return [];
    return [{ file: name, line: 1, rule: 'open with a comment: what it owns, what it promises, what it does not do' }];
  },

  function namesOfFiles({ name }) {
    const word = path.basename(name).replace(/\..*$/, '');
    if (!/^(?:utils?|helpers?|lib|manager|types|misc|common)$/.test(word)) return [];
    return [{ file: name, line: 1, rule: `name the file for its concept, not "${word}"` }];
  },

  function statementsLiveInSqlFolders({ name, text }) {
    if (!isProduct(name) || isSql(name) || name.startsWith('src/platform/')) return [];
    return findLines(
      name,
      text,
      /\.query(?:<[^>]*>)?\(/,
      'no .query( outside sql/ folders: give the statement a file there',
    );
  },

  function engineClock({ name, text }) {
    if (!isSql(name) || isTest(name)) return [];
    const foreign =
      /(?<![\w.])now\(\)|\bcurrent_timestamp\b|\b(?:statement|transaction|clock)_timestamp\(\)|\blocaltimestamp\b/i;
    // The definition of engine.now() itself.
    const isClock = (line: number) => /select clock_timestamp\(\) \$\$/.test(lineOf(text, line));
    return findLines(name, text, foreign, 'use engine.now(): tests move that clock').filter(
      ({ line }) => !isClock(line),
    );
  },

  function ledgerThroughItsReads({ name, text }) {
    if (!isProduct(name) || !isSql(name) || name.startsWith('src/engine/') || joinsLedger.has(name)) return [];
    const own = ownsTables.find(([folder]) => folder.test(name))?.[1];
    const foreign = engineTables.filter((table) => !own?.test(table));
    const rule = "read the engine's tables through src/engine/reads, change them through src/engine/sql";
    return findLines(name, text, new RegExp(`\\bengine\\.(?:${foreign.join('|')})\\b`), rule);
  },

  function environment({ name, text }) {
    const allowed =
      /^src\/(?:platform\/config\.ts|platform\/embedded\/binaries\.ts|main\/|roles\/|cli\/|pipelines\/[a-z-]+\/cli\/)/;
    if (!isProduct(name) || allowed.test(name)) return [];
    return findLines(name, text, /\bprocess\.env\b/, 'take the setting from the config that is passed in');
  },

  function pipelinesByTheirKits({ name, text }) {
    const isOurs = isProduct(name) || isConsole(name) || isScript(name);
    if (!isOurs || pipelineLists.includes(name) || knowsPipelines.has(name)) return [];
    const own = pipelineOf(name);
    const others = pipelineNames.filter((each) => each !== own);
    const literal = new RegExp(`(?<![\\w-])['"\`](?:${others.join('|')})['"\`]`);
    const rule =
      'name no pipeline here: its kit (pipelines/<name>/kit.ts, kit.tsx in the console) says what others may know of it';
    const apart = 'a pipeline imports no other: what both need lies below them (http, cli, tabular, sources, engine)';
    const isImport = (line: string) => {
      const target = pathsIn(line).map((each) => pipelineOf(path.posix.join(path.posix.dirname(name), each)));
      return target.some((each) => each !== undefined && each !== own);
    };
    const imports = text.split('\n').flatMap((line, index) => (isImport(withoutComment(line)) ? [index + 1] : []));
    return [
      ...imports.map((line) => ({ file: name, line, rule: own === undefined ? rule : apart })),
      ...findLines(name, text, literal, rule).filter(({ line }) => !isOtherWord(lineOf(text, line))),
    ];
  },

  function canariesListen({ name, text }) {
    const isTheirs = /^(?:src\/(?:http|cli)\/|test\/acceptance\/).*\.test\.ts$/.test(name);
    if (!isTheirs || judgmentsTests.test(name)) return [];
    const works = /pipelines\/judgments\/(?!http\/batch-handlers)|support\/judgments(?:\.|-)|'--pipeline', 'judgments'/;
    const rule = 'tests on judgments stand where the canaries listen (judgmentsTests in test/support/heard.ts)';
    return findLines(name, text, works, rule).slice(0, 1);
  },

  function wordsEverybodyKnows({ name, text }) {
    if (quotesWords.has(name) || /^(?:db\/migrations|docs\/decisions|test\/bench\/results)\//.test(name)) return [];
    return oldWords.flatMap(([words, instead]) =>
      text.split('\n').flatMap((content, index) => {
        const [word] = words.exec(withoutLinks(content)) ?? [];
        return word === undefined ? [] : [{ file: name, line: index + 1, rule: `"${word.trim()}": say ${instead}` }];
      }),
    );
  },

  function testsWithoutTimeLimits({ name, text }) {
    if (!/\.test\.ts$/.test(name)) return [];
    const limits = /^\s*\}, \d+_000\);$|\btestTimeout\b|\bhookTimeout\b/;
    return findLines(
      name,
      text,
      limits,
      'give the test no time limit of its own: a slow machine must not change its verdict',
    );
  },

  function looseEnds({ name, text }) {
    if (!isCode(name) || name.startsWith('scripts/rules')) return [];
    return findLines(
      name,
      text,
      /\b(?:TODO|FIXME|XXX)\b|@ts-(?:ignore|expect-error|nocheck)/,
      'finish it, or leave it out',
    );
  },
];

/** Findings that need all files at once: a prepared statement's name must mean one statement. */
function duplicateStatements(files: readonly SourceFile[]): Finding[] {
  const seen = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { name, text } of files) {
    if (!isProduct(name)) continue;
    for (const match of text.matchAll(/\bname: '([a-z][a-z0-9_-]*)',\s*(?:\/\/[^\n]*\n\s*)?text:?/g)) {
      const statement = match[1] ?? '';
      const first = seen.get(statement);
      const line = text.slice(0, match.index).split('\n').length;
      if (first !== undefined && first !== name)
        findings.push({ file: name, line, rule: `the statement name "${statement}" is taken by ${first}` });
      else seen.set(statement, name);
    }
  }
  return findings;
}

/** A comment or a README that names a file of ours which is not there has outlived a move. */
function namesOfNoFile(files: readonly SourceFile[]): Finding[] {
  const known = new Set(files.map(({ name }) => path.posix.basename(name)));
  const named = /(?<![\w./$}-])(?:[\w-]+\/)*([a-z][\w-]*(?:\.[a-z]+)*\.(?:tsx?|mjs))\b/g;
  const isOurs = ({ name }: SourceFile) =>
    !/^(?:CHANGELOG\.md|CONTRIBUTING\.md|docs\/decisions\/|db\/migrations\/|scripts\/rules)/.test(name);
  return files.filter(isOurs).flatMap(({ name, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isProse = name.endsWith('.md') || /^\s*(?:\/\/|\*|\/\*|--)|\s(?:\/\/|--) /.test(line);
      const missing = isProse ? [...line.matchAll(named)].map((match) => match[1] ?? '') : [];
      return missing
        .filter((file) => !known.has(file))
        .map((file) => ({
          file: name,
          line: index + 1,
          rule: `there is no file ${file}: name the one that does it now`,
        }));
    }),
  );
}

/** Of the whole tree: a file alone has nobody who imports it. */
export function exportsForNobody(files: readonly SourceFile[]): Finding[] {
  return findUnusedExports(files).map(({ file, line, name }) => ({
    file,
    line,
    rule: `no other file imports ${name}: make it private, or delete it`,
  }));
}

export function checkFiles(files: readonly SourceFile[]): Finding[] {
  const each = files.flatMap((file) => rules.flatMap((rule) => rule(file)));
  return [...each, ...duplicateStatements(files), ...namesOfNoFile(files)];
}

function findLines(file: string, text: string, pattern: RegExp, rule: string): Finding[] {
  return text
    .split('\n')
    .map((content, index) => ({ content, line: index + 1 }))
    .filter(({ content }) => pattern.test(withoutComment(content)))
    .map(({ line }) => ({ file, line, rule }));
}

function withoutComment(line: string): string {
  return line.replace(/^\s*(?:\/\/|\*|\/\*|--).*$/, '').replace(/\s(?:\/\/|--) .*$/, '');
}

/** Names of files in links are no prose. */
function withoutLinks(line: string): string {
  return line.replace(/\]\([^)]*\)/g, ']');
}

function lineOf(text: string, line: number): string {
  return text.split('\n')[line - 1] ?? '';
}

function readFiles(root: string): SourceFile[] {
  const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...listFiles(root, [...folders, 'docs'], /\.md$/)];
  return [...listFiles(root, folders, /\.(?:tsx?|mjs|sql)$/), ...documents].map((name) => ({
    name,
    text: readFileSync(path.join(root, name), 'utf8'),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readFiles(fileURLToPath(new URL('..', import.meta.url)));
  const findings = [...checkFiles(files), ...exportsForNobody(files)];
  for (const { file, line, rule } of findings) console.log(`${file}:${line}  ${rule}`);
  if (findings.length > 0) process.exitCode = 1;
}

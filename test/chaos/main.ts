// npm run chaos -- NAME [--seed N] [--kills N] [--only R1,R3] [--json FILE] [--release]: breaks things on purpose, audits, and
// ends with 1 when a count is not zero. "engine" has the faults of R1 to R15; "model" is R17 (--steps N); "soak" is R18
// (--minutes N); "disk" is R8 (--rounds N); "uploads" is R10; "mutations" is Q9 (--steps N); "syncs" kills around the trigger,
// "syncs-week" is a simulated week; "documents" kills in every part of a document, "sources" at every boundary of a sync, "items"
// kills and freezes workers while items are paused, kicked off and reprocessed, "judgments" while batches are delivered twice and revised.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compilePrograms } from '../support/programs.ts';
import type { Counts } from './auditor.ts';
import { addCounts, allZero, noCounts } from './suites/suite.ts';

interface ChaosOptions {
  readonly seed: number;
  readonly kills: number | undefined;
  readonly steps: number | undefined;
  readonly minutes: number | undefined;
  readonly rounds: number | undefined;
  readonly only: readonly string[] | undefined;
  readonly release: boolean;
  readonly small: boolean;
  readonly say: (line: string) => void;
}

interface ChaosAnswer {
  readonly dose: unknown;
  readonly counts: Counts;
  readonly details: unknown;
}

const programs: Readonly<Record<string, (options: ChaosOptions) => Promise<ChaosAnswer>>> = {
  async engine(options) {
    const { landingDose, releaseDose, runEngineChaos, smallDose } = await import('./engine.ts');
    const chosen = options.release ? releaseDose : options.small ? smallDose : landingDose;
    const dose = options.kills === undefined ? chosen : { ...chosen, kills: options.kills };
    const results = await runEngineChaos({ ...options, dose });
    return {
      dose: Object.fromEntries(results.map((result) => [result.id, result.dose])),
      counts: addCounts(...results.map((result) => result.counts)),
      details: results,
    };
  },
  async ads(options) {
    const { runAdsChaos } = await import('./ads.ts');
    const kills = options.kills ?? (options.release ? 1_000 : options.small ? 6 : 100);
    const { dose, counts, findings } = await runAdsChaos({ ...options, kills });
    return { dose, counts, details: { findings } };
  },
  async model(options) {
    const { runModelChaos } = await import('./model-main.ts');
    const { missing } = await import('./model/run.ts');
    const steps = options.steps ?? (options.release ? 1_000_000 : options.small ? 1_000 : 50_000);
    const { divergence, ...result } = await runModelChaos({ ...options, steps });
    const undone = divergence ? [] : missing(result);
    for (const what of undone) options.say(`proves nothing: ${what}`);
    if (divergence) {
      options.say(`diverged: seed ${divergence.seed}: ${divergence.what}`);
      for (const step of divergence.steps) options.say(`  ${JSON.stringify(step)}`);
    }
    return {
      dose: { steps },
      counts: { ...noCounts, wrong: divergence ? 1 : undone.length },
      details: { ...result, divergence },
    };
  },
  /** Half load for a long time: what must not grow does not. */
  async soak({ seed, minutes, release, small, say }) {
    const { longSoak, runSoak, smallSoak } = await import('./soak.ts');
    const dose = small ? smallSoak : longSoak(minutes ?? (release ? 120 : 10));
    return runSoak({ seed, dose, say });
  },
  /** R10: hostile and unlucky senders while honest ones go on. */
  async uploads({ seed, minutes, release, small, say }) {
    const { runUploadChaos } = await import('./uploads.ts');
    const seconds = minutes === undefined ? (release ? 600 : small ? 3 : 120) : minutes * 60;
    const size = small ? { slow: 40, aborts: 60 } : { slow: 200, aborts: 500 };
    const { dose, counts, rssGrowthMb, calmP95, stormP95 } = await runUploadChaos({ seed, seconds, ...size });
    say(`memory + ${rssGrowthMb} MB; honest senders' p95 ${calmP95} ms in calm, ${stormP95} ms in the storm`);
    return { dose, counts, details: { rssGrowthMb, calmP95, stormP95 } };
  },
  /** R8: the disk fills up under the files, the tables, the whole database, everything (--only files,tables). */
  async disk({ seed, rounds, release, small, only, say }) {
    const { runDiskChaos } = await import('./disk.ts');
    return runDiskChaos({ seed, rounds: rounds ?? (release ? 50 : small ? 1 : 10), only, say });
  },
  /** Q9: damaged files of every format (--only csv,xlsx) through the reader and the HTTP intake. */
  async mutations({ seed, steps, only, release, small, say }) {
    const { runMutations } = await import('./mutations.ts');
    return runMutations({ seed, steps: steps ?? (release ? 10_000 : small ? 100 : 2_000), only, say });
  },
  /** Kills between a sync's trigger and the storing of its job id. */
  async syncs({ seed, kills, release, small }) {
    compilePrograms();
    const { runSyncKills } = await import('./syncs.ts');
    return runSyncKills({ seed, kills: kills ?? (release ? 1_000 : small ? 8 : 200), workers: small ? 4 : 8 });
  },
  /** 1,000 connectors of 50 tenants through a simulated week. */
  async 'syncs-week'({ seed, small, say }) {
    const { landingWeek, runSyncWeek, smallWeek } = await import('./syncs-week.ts');
    return runSyncWeek({ ...(small ? smallWeek : landingWeek), seed }, say);
  },
  /** Kills in every part of a document and around its activation; the database is stopped in between (--only ledger,messages). */
  async documents({ seed, kills, release, small, only = ['ledger', 'messages'], say }) {
    compilePrograms();
    const { runDocumentsChaos } = await import('./documents.ts');
    const { openMessages } = await import('./documents-messages.ts');
    const dose = { seed, kills: kills ?? (release ? 1_000 : small ? 5 : 100), workers: 2, stops: small ? 1 : 5 };
    const ledger = only.includes('ledger') ? await runDocumentsChaos(dose) : undefined;
    // The same once more, with runs that are delivered by messages.
    const messages = only.includes('messages')
      ? await runDocumentsChaos({ ...dose, seed: seed + 1 }, { transport: await openMessages() })
      : undefined;
    const parts = [ledger, messages].filter((part) => part !== undefined);
    if (parts.length === 0) throw new Error('--only takes ledger and messages');
    for (const { findings } of parts) for (const finding of findings) say(finding);
    return {
      dose,
      counts: addCounts(...parts.map(({ counts }) => counts)),
      details: {
        ...(ledger === undefined ? {} : { ledger: { ...ledger.details, findings: ledger.findings } }),
        ...(messages === undefined ? {} : { messages: { ...messages.details, findings: messages.findings } }),
      },
    };
  },
  /** Kills at every boundary of a sync, on a server that fails and hangs up. */
  async sources({ seed, kills, release, small, say }) {
    compilePrograms();
    const { runSourcesChaos, syncPoints } = await import('./sources.ts');
    const chosen = kills ?? (release ? 500 : small ? 3 : 60);
    const dose = { seed, kills: chosen, workers: 3, objects: 40, points: small ? [] : syncPoints, say };
    const { findings, ...result } = await runSourcesChaos(dose);
    for (const finding of findings) say(finding);
    return { ...result, details: { ...result.details, findings } };
  },
  /** Kills and frozen workers while batches are delivered twice at once, refused and superseded. */
  async judgments({ seed, kills, release, small, say }) {
    compilePrograms();
    const { landingJudgments, runJudgmentsChaos, smallJudgments } = await import('./judgments.ts');
    const size = small ? smallJudgments : landingJudgments;
    const many = kills ?? (release ? 1_000 : size.kills);
    const { findings, ...result } = await runJudgmentsChaos({
      ...size,
      seed,
      kills: many,
      freezes: Math.ceil(many / 10),
      say,
    });
    for (const finding of findings) say(finding);
    return { ...result, details: { ...result.details, findings } };
  },
  /** Kills, frozen workers, pauses, kick-offs, reprocessing, and a provider that fails, delays and refuses. */
  async items({ seed, kills, release, small, say }) {
    compilePrograms();
    const { runItemsChaos } = await import('./items.ts');
    const many = kills ?? (release ? 1_000 : small ? 4 : 100);
    const { findings, ...result } = await runItemsChaos({
      seed,
      kills: many,
      workers: 3,
      freezes: Math.ceil(many / 10),
    });
    for (const finding of findings) say(finding);
    return { ...result, details: { ...result.details, findings } };
  },
};

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      kills: { type: 'string' },
      steps: { type: 'string' },
      minutes: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
      release: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
    },
  });
  const name = positionals[0] ?? '';
  const program = programs[name];
  if (!program) {
    console.error(
      `usage: npm run chaos -- NAME [--seed N] [--kills N] [--steps N] [--minutes N] [--rounds N] [--only R1,R2] [--json FILE] [--release | --small]\nsuites: ${Object.keys(programs).join(', ')}`,
    );
    return 2;
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const startedAt = performance.now();
  console.error(`${name}: seed ${seed}`);
  const { dose, counts, details } = await program({
    seed,
    kills: values.kills === undefined ? undefined : Number(values.kills),
    steps: values.steps === undefined ? undefined : Number(values.steps),
    minutes: values.minutes === undefined ? undefined : Number(values.minutes),
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    only: values.only?.split(','),
    release: values.release,
    small: values.small,
    say: (line) => console.error(line),
  });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const result = { seed, dose, counts, seconds, details };
  console.log(JSON.stringify({ seed, dose, counts, seconds }));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  return allZero(counts) ? 0 : 1;
}

process.exitCode = await main();

// R2: a process dies at every named failpoint of the engine. A failpoint that is never reached is a finding: either the
// boundary has lost its name or nothing here goes through it.
import { setTimeout as pause } from 'node:timers/promises';
import { type Failpoint, failpoints } from '../../../src/platform/failpoints.ts';
import type { Audit } from '../auditor.ts';
import type { ChaosProcess, Feeder, Ground } from '../ground.ts';
import { resultOf, type Suite } from './suite.ts';

const AT_A_TIME = 4;

/** There is more to do for a process until it has died. Only one that never will is given up, however slow the machine. */
const GIVE_UP_MS = 240_000;

/** Boundaries outside the engine's own work, each with the test in which a process dies there. */
export const provedElsewhere: Readonly<Record<string, string>> = {
  'blob.': 'src/platform/blob/disk-blob-store.test.ts',
  'source.': 'src/sources/collect.db.test.ts',
  'sync.': 'test/chaos/sources.ts',
  'alerts.': 'src/outbound/alerts/sending.db.test.ts',
  'webhook.': 'src/outbound/webhooks/crash.db.test.ts',
  'sweep.': 'src/engine/blobs/crash.db.test.ts',
  'history.': 'src/engine/services/history.db.test.ts',
  'replay.': 'src/engine/blobs/crash.db.test.ts',
};

export const engineFailpoints = failpoints.filter(
  (name) => !Object.keys(provedElsewhere).some((prefix) => name.startsWith(prefix)),
);

/** More than fit into one chunk, so that there is a place between two. */
const MANY = 2_600;
/** A process meets these a few times at most, so the first must do. */
const RARE = /^(?:drain|release|schedule|rescue|register|cancel|retry|enqueue\.between_chunks)/;

export const killAtFailpoints: Suite = async ({ server, random, dose, leaseMs, heartbeatMs, say }) => {
  const audits: Audit[] = [];
  const unreached: string[] = [];
  const ground = await server.ground({ leaseMs, heartbeatMs, pollMs: 50, concurrency: 4, drainMs: 1_000 });
  try {
    // Without services: one process does those of an installation, and it must be the one that is to die of them.
    const sound = ground.worker({ services: false });
    await sound.until('ready');
    await addSchedule(ground);
    const deaths = engineFailpoints.flatMap((name) =>
      Array.from({ length: dose.perPoint }, () => ({
        name,
        hits: random.between(1, 3),
        seed: random.between(0, 2 ** 31),
      })),
    );
    // A few at a time: the dead of one do not mind the dead of another.
    const lane = async () => {
      for (let next = deaths.shift(); next !== undefined; next = deaths.shift()) {
        if (!(await dieAt(ground, next.name, next.hits, next.seed))) unreached.push(next.name);
        say(`R2: ${next.name}`);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    await ground.worker({ consume: true }).until('ready');
    await ground.settle();
    audits.push(ground.audit());
    const own = unreached.map((name) => `failpoint ${name} was not reached`);
    const points = engineFailpoints.length;
    return resultOf({
      ...{ id: 'R2', dose: { points, perPoint: dose.perPoint }, audits, own },
      atLeast: { acknowledged: points * dose.perPoint * 4 },
    });
  } finally {
    await ground.close();
  }
};

/** Whether a process died there. */
async function dieAt(ground: Ground, name: Failpoint, hits: number, seed: number): Promise<boolean> {
  const failpoint = `${name}:${RARE.test(name) ? 1 : hits}`;
  if (name === 'enqueue.between_chunks') {
    const feeder = ground.feeder({ count: MANY, batch: MANY, parts: 1, seed, stepMs: 0, failpoint });
    return (await endOf(feeder, GIVE_UP_MS)) === 'SIGKILL';
  }
  if (/^(?:cancel|retry)\./.test(name)) return dieActing(ground, failpoint);
  if (name.startsWith('enqueue.')) {
    const feeder = ground.feeder({ count: 20, seed, failpoint });
    return (await endOf(feeder, GIVE_UP_MS)) === 'SIGKILL';
  }
  // A capped pipeline is claimed in a transaction of several statements, an uncapped one in a single statement.
  const capped = name === 'claim.before_commit' ? { laneCap: 50 } : {};
  const armed = ground.worker({ consume: true, failpoint, ...capped });
  const feeder = ground.feeder({ count: 20, seed, batch: 4, everyMs: 10, stepMs: 10 });
  const ended = name.startsWith('rescue.')
    ? await dieRescuing(ground, armed)
    : name.startsWith('schedule.')
      ? await dieScheduling(ground, armed)
      : /^(?:drain|release)\./.test(name)
        ? await dieDraining(ground, armed)
        : await dieWorking(ground, armed, seed);
  await feeder.exited;
  if (ended !== 'SIGKILL') armed.signal('SIGKILL');
  return ended === 'SIGKILL';
}

/** The sound worker must not take all of the work: more is submitted until the armed one has died of it. */
function dieWorking(ground: Ground, armed: ChaosProcess, seed: number): Promise<string | number | undefined> {
  return untilDead(armed, async (tries) => {
    await endOf(armed, 300);
    if (armed.isAlive())
      await ground.feeder({ count: 12, seed: seed + tries + 1, batch: 3, everyMs: 10, stepMs: 10 }).exited;
  });
}

/** Whoever cancels or retries dies of it. The run may end on its own first: then another is tried. */
async function dieActing(ground: Ground, failpoint: string): Promise<boolean> {
  const act = failpoint.startsWith('cancel.') ? 'cancel' : 'retry';
  const deadline = Date.now() + GIVE_UP_MS;
  while (Date.now() < deadline) {
    const actor = ground.feeder({ count: 4, seed: 1, act, failpoint });
    if ((await endOf(actor, GIVE_UP_MS)) === 'SIGKILL') return true;
  }
  return false;
}

function dieRescuing(ground: Ground, armed: ChaosProcess): Promise<string | number | undefined> {
  return untilDead(armed, async (tries) => {
    const victim = ground.worker({ services: false });
    await victim.until('ready').catch(() => {});
    const feeder = ground.feeder({ count: 8, seed: tries + 1, stepMs: 30 });
    await untilHolding(ground, victim, armed);
    ground.kill(victim);
    await feeder.exited;
    await endOf(armed, ground.leaseMs + 700);
  });
}

/** Drained with work in its hands. */
async function dieDraining(ground: Ground, armed: ChaosProcess): Promise<string | number | undefined> {
  await armed.until('ready', GIVE_UP_MS).catch(() => {});
  await untilHolding(ground, armed, armed);
  armed.signal('SIGTERM');
  return endOf(armed, GIVE_UP_MS);
}

function dieScheduling(ground: Ground, armed: ChaosProcess): Promise<string | number | undefined> {
  return untilDead(armed, async () => {
    await ground.ask(`update engine.schedules set next_at = engine.now()`);
    await endOf(armed, 1_000);
  });
}

/** Does something that could kill it, again and again. */
async function untilDead(
  armed: ChaosProcess,
  step: (tries: number) => Promise<void>,
): Promise<string | number | undefined> {
  const deadline = Date.now() + GIVE_UP_MS;
  await armed.until('ready', GIVE_UP_MS).catch(() => {});
  for (let tries = 0; armed.isAlive() && Date.now() < deadline; tries += 1) await step(tries);
  return endOf(armed, 0);
}

/** Until the worker holds a run, or nothing is left to wait for. */
async function untilHolding(ground: Ground, worker: ChaosProcess, armed: ChaosProcess): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (worker.isAlive() && armed.isAlive() && Date.now() < deadline) {
    const held = await ground.ask(
      `select from engine.leases l join engine.workers w on w.worker_id = l.worker_id where w.pid = $1 limit 1`,
      [worker.pid],
    );
    if (held.length > 0) return;
    await pause(10);
  }
}

/** A schedule whose runs carry no expectation: what counts is that they end, and that none fires twice. */
async function addSchedule(ground: Ground): Promise<void> {
  await ground.ask(
    `insert into engine.schedules (schedule_id, tenant_id, name, pipeline, cron, input, next_at)
     values (gen_random_uuid(), gen_random_uuid(), 'yearly', 'tally', '0 0 1 1 *',
             '{"parts": 1, "amount": 1, "trouble": "none", "stepMs": 0}', engine.now() + interval '1 year')`,
  );
}

async function endOf(process: Feeder, withinMs: number): Promise<string | number | undefined> {
  const late = new AbortController();
  const ended = await Promise.race([
    process.exited,
    pause(withinMs, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
  return ended ?? undefined;
}

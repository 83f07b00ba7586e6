// Breaks of the engine: claims, ends, takeovers, retries, schedules and the acts of people.
import { type Break, MODEL, QUIET } from '../break.ts';

const CLAIM = 'src/engine/sql/claim-runs.ts';
const ROUND = 'src/engine/sql/claim-round.ts';
const END = 'src/engine/sql/end-attempts.ts';
const ENDS = 'src/engine/ends.db.test.ts';
const RESCUE = 'src/engine/rescue.db.test.ts';
const RESCUER = 'src/engine/services/rescuer.ts';
const SERVICES = 'src/engine/services.db.test.ts';
const FINISHER = 'src/engine/finisher.db.test.ts';
const POLICY = 'src/engine/retry-policy.ts';
const POLICY_TEST = 'src/engine/retry-policy.test.ts';

const PAUSED = 'src/engine/paused-lanes.db.test.ts';
const SHARED_TROUBLE = 'src/engine/shared-trouble.db.test.ts';

export const engineBreaks: readonly Break[] = [
  {
    id: 'engine.claim-by-a-lost-worker',
    file: CLAIM,
    find: 'w.worker_id = $1 and w.ended_at is null and w.expires_at > engine.now())`',
    replace: 'w.worker_id = $1)`',
    tests: [MODEL],
  },
  {
    id: 'engine.claim-keeps-the-attempt',
    file: CLAIM,
    find: 'attempt = r.attempt + 1,',
    replace: 'attempt = greatest(r.attempt, 1),',
    tests: [MODEL],
  },
  {
    id: 'engine.claim-ignores-priority',
    file: ROUND,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    find: 'and not q.solo ${bound}\n          order by q.priority, q.run_id',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    replace: 'and not q.solo ${bound}\n          order by q.run_id',
    tests: [QUIET],
    title: 'a claim',
  },
  {
    id: 'engine.claim-of-a-paused-lane',
    file: ROUND,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    find: 'where l.is_open and ${isAlive}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    replace: 'where l.level > 0 and ${isAlive}',
    tests: [QUIET],
    title: 'a claim',
  },
  {
    id: 'engine.claim-forgets-whose-turn-it-is',
    file: ROUND,
    find: 'limit greatest(l.everybodys + (l.place_in_group <= l.odd)::int, $12::int)',
    replace: 'limit 1000000 + l.everybodys + $12::int',
    tests: [MODEL, 'src/engine/claimer.db.test.ts'],
  },
  {
    id: 'engine.claim-over-the-cap',
    file: CLAIM,
    find: 'limit least($7, greatest($6 - (select leases from held), 0))',
    replace: 'limit least($7, $6 + 0 * (select leases from held))',
    tests: [QUIET],
    title: 'a claim',
  },
  {
    id: 'engine.end-keeps-the-active-key',
    file: END,
    find: "active_key = case when x.to_phase in ('done', 'failed', 'dead') then null else r.active_key end,",
    replace: 'active_key = r.active_key,',
    tests: [MODEL],
  },
  {
    id: 'engine.end-without-its-event',
    file: END,
    find: 'insert into engine.event_inbox (event_id) select event_id from told union all select event_id from told_more',
    replace: 'insert into engine.event_inbox (event_id) select event_id from told_more',
    tests: [ENDS],
    title: 'leave the very traces',
  },
  {
    id: 'engine.end-forgets-the-retry-delay',
    file: END,
    find: "from moved where phase = 'waiting' and delay_ms is null",
    replace: "from moved where phase = 'waiting'",
    tests: [MODEL],
  },
  {
    id: 'engine.takeover-costs-nothing',
    file: RESCUER,
    find: 'const losses = (before[lossKey(stage, part)] ?? 0) + 1;',
    replace: 'const losses = before[lossKey(stage, part)] ?? 0;',
    tests: [RESCUE],
  },
  {
    id: 'engine.takeover-charged-to-a-run-that-never-began',
    file: RESCUER,
    find: 'if (!lease.began && !lease.progressed) {',
    replace: 'if (Number.isNaN(0)) {',
    tests: ['src/engine/losses.db.test.ts'],
  },
  {
    id: 'engine.losses-outlive-progress',
    file: RESCUER,
    find: 'const before = lease.progressed ? withoutLosses(lease.failures, stage, part) : lease.failures;',
    replace: 'const before = lease.failures;',
    tests: ['src/engine/losses.db.test.ts'],
  },
  {
    id: 'engine.lease-of-an-unknown-worker-for-ever',
    file: 'src/engine/sql/rescue-runs.ts',
    find: '(w.found is null or w.ended_at is not null or w.expires_at < engine.now())',
    replace: '(w.ended_at is not null or w.expires_at < engine.now())',
    tests: [QUIET],
    title: 'is taken back from a worker',
  },
  {
    id: 'engine.lease-of-an-ended-worker-for-ever',
    file: 'src/engine/sql/rescue-runs.ts',
    find: '(w.found is null or w.ended_at is not null or w.expires_at < engine.now())',
    replace: '(w.found is null or (w.ended_at is null and w.expires_at < engine.now()))',
    tests: [QUIET],
    title: 'is taken back from a worker',
  },
  {
    id: 'engine.takeover-forgets-a-cancellation',
    file: RESCUER,
    find: 'if (lease.cancel_requested_by !== null) {',
    replace: 'if (Number.isNaN(0)) {',
    tests: [RESCUE],
  },
  {
    id: 'engine.takeover-one-loss-too-many',
    file: RESCUER,
    find: 'losses >= lease.lost_limit',
    replace: 'losses > lease.lost_limit',
    tests: [RESCUE],
  },
  {
    id: 'engine.takeover-from-the-living',
    file: 'src/engine/sql/rescue-runs.ts',
    find: 'left join lateral (\n          select true as found, ended_at, expires_at from engine.workers',
    replace:
      'left join lateral (\n          select true as found, engine.now() as ended_at, expires_at from engine.workers',
    tests: [RESCUE],
  },
  {
    id: 'engine.heartbeat-revives-the-lost',
    file: 'src/engine/sql/workers.ts',
    find: "oldest_end_at = engine.now() - $5 * interval '1 millisecond'\n      where worker_id = $1 and ended_at is null`",
    replace: "oldest_end_at = engine.now() - $5 * interval '1 millisecond'\n      where worker_id = $1`",
    tests: [MODEL],
  },
  {
    id: 'engine.worker-ended-despite-leases',
    file: 'src/engine/sql/workers.ts',
    find: 'and not exists (select from engine.leases where worker_id = $1)',
    replace: '',
    tests: [QUIET],
    title: 'is not called ended',
  },
  {
    id: 'engine.stopping-worker-keeps-what-it-has-not-begun',
    file: 'src/engine/worker.ts',
    find: '    await this.#looping;\n    this.#releaseQueued();',
    replace: '    await this.#looping;',
    tests: [RESCUE],
    title: 'gives back what it has not begun',
  },
  {
    id: 'engine.end-in-doubt-called-lost',
    file: 'src/engine/finisher.ts',
    find: 'const lost = tries > 0 && gone.length > 0 ? await this.#withoutWritten(gone) : gone;',
    replace: 'const lost = gone;',
    tests: [FINISHER],
  },
  {
    id: 'engine.one-bad-end-fails-its-neighbours',
    file: 'src/engine/finisher.ts',
    find: 'for (const ending of endings) await this.#writeStubbornly({ ...batch, endings: [ending] }, 1);',
    replace: 'for (const ending of endings) await this.#writeRefused(ending, batch.since, error);',
    tests: [FINISHER],
  },
  {
    id: 'engine.end-waits-behind-a-locked-lease',
    file: 'src/engine/finisher.ts',
    find: 'if (isLocked) await this.#clearTheWay(ending, tries);',
    replace: '',
    tests: [FINISHER],
    title: 'has it stopped, and is written',
  },
  {
    id: 'engine.full-disk-fails-the-run',
    file: 'src/engine/finisher.ts',
    find: "new Set(['transient', 'rate_limited', 'config'])",
    replace: "new Set(['rate_limited'])",
    tests: [FINISHER, 'src/engine/worker.db.test.ts'],
  },
  {
    id: 'engine.one-retry-too-many',
    file: POLICY,
    find: 'before >= rule.max',
    replace: 'before > rule.max',
    tests: [POLICY_TEST],
    isQuick: true,
  },
  {
    id: 'engine.retry-after-ignored',
    file: POLICY,
    find: 'failed.retryAfterMs ?? 0,',
    replace: '0,',
    tests: [POLICY_TEST],
    isQuick: true,
  },
  {
    id: 'engine.failures-of-all-stages-counted-together',
    file: POLICY,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    find: 'const key = `${kind}:${stage}`;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    replace: 'const key = `${kind}:`;',
    tests: [MODEL, POLICY_TEST],
  },
  {
    id: 'engine.two-clicks-make-two-retries',
    file: 'src/engine/actions.ts',
    find: 'retryOf: run.id,',
    replace: '',
    tests: ['src/engine/actions.db.test.ts'],
  },
  {
    id: 'engine.held-run-cannot-be-cancelled',
    file: 'src/engine/sql/act-on-runs.ts',
    find: '          union all select id from wanted where held_at is not null\n',
    replace: '',
    tests: [MODEL, 'src/engine/actions.db.test.ts'],
  },
  {
    id: 'engine.schedule-fires-twice-for-one-moment',
    file: 'src/engine/services/scheduler.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
    find: 'uniqueKey: `schedule:${name}:${schedule.next_at.toISOString()}`,',
    replace: '',
    tests: [QUIET],
    title: 'a schedule',
  },
  {
    id: 'engine.due-run-planned-for-ever',
    file: 'src/engine/sql/move-due-runs.ts',
    find: 'where available_at <= (select engine.now())',
    replace: "where available_at <= (select engine.now()) - interval '1 minute'",
    tests: [MODEL, SERVICES],
  },
  {
    id: 'engine.lease-of-an-unheard-claim-kept',
    file: 'src/engine/reconciler.ts',
    find: 'orphans: orphans.map(([key]) => leased.get(key) as HeldLease),',
    replace: 'orphans: orphans.slice(orphans.length).map(([key]) => leased.get(key) as HeldLease),',
    tests: [MODEL],
  },
  {
    id: 'engine.part-taken-at-the-next-poll',
    file: 'src/engine/work-finder.ts',
    find: 'Math.min(pollMs, this.parts.nextInMs ?? pollMs)',
    replace: 'pollMs',
    tests: [SHARED_TROUBLE],
    title: 'a part that is tried again later',
  },
  {
    id: 'engine.parts-overwrite-each-others-progress',
    file: 'src/engine/progress-writer.ts',
    find: 'this.#rows.set(heldKey(run.id, run.part), row);',
    replace: "this.#rows.set(heldKey(run.id, ''), row);",
    tests: [SHARED_TROUBLE],
    title: 'progress of parts',
  },
  {
    id: 'engine.open-part-says-not-why-it-waits',
    file: 'src/engine/shared-runs.ts',
    find: 'delayMs: left.open_in_ms, waitReason }',
    replace: 'delayMs: left.open_in_ms }',
    tests: [SHARED_TROUBLE],
    title: 'that must wait',
  },
  {
    id: 'engine.small-enqueue-waits-as-a-large-one',
    file: 'src/engine/sql/enqueue-runs.ts',
    find: 'answerWithinMs: isLarge(runs) ? BULK_LIMIT_MS : manner.answerWithinMs,',
    replace: 'answerWithinMs: BULK_LIMIT_MS,',
    tests: ['src/engine/silent-connections.db.test.ts'],
    title: 'that enqueues a few runs',
  },
  {
    id: 'engine.silent-caller-waits-for-ever',
    file: 'src/platform/database.ts',
    find: 'const needsId = options.xid === undefined && asking.has(pool);',
    replace: 'const needsId = false;',
    tests: ['src/engine/silent-connections.db.test.ts'],
    title: 'that verifies',
  },
  {
    id: 'engine.walk-begins-anew-after-each-look',
    file: 'src/engine/claimer.ts',
    find: 'walk: this.#walks.get(pipeline),',
    replace: 'walk: undefined,',
    tests: [PAUSED],
    title: 'while another pipeline has work',
  },
  {
    id: 'engine.halfway-look-is-a-look-in-vain',
    file: 'src/engine/claimer.ts',
    find: 'if (round.walks.length > 0) this.isHalfway = true;',
    replace: '',
    tests: [PAUSED],
  },
  {
    id: 'engine.capped-look-never-comes-round',
    file: 'src/engine/claimer.ts',
    find: "looked.stoppedAt === undefined && !walk.isSecondHalf && afterLane !== ''",
    replace: "looked.stoppedAt === undefined && afterLane !== ''",
    tests: [PAUSED],
    title: 'wherever it stands',
  },
  {
    id: 'engine.worker-rests-halfway',
    file: 'src/engine/worker.ts',
    find: 'if (this.#finder.isHalfway) this.#shouldGoOn = true;',
    replace: '',
    tests: [PAUSED],
    title: 'until it polls',
  },
];

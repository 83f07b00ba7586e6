// Breaks of the effects transaction: fence, checkpoint, rejects, and what becomes of a COMMIT nobody heard of.
import { type Break, MODEL, QUIET } from '../break.ts';

const EFFECTS = 'src/engine/effects.ts';
const LOST = 'src/engine/lost-commits.db.test.ts';
const EXECUTION = 'src/engine/execution.ts';

export const effectsBreaks: readonly Break[] = [
  {
    id: 'effects.fence-ignores-cancel',
    file: EFFECTS,
    find: 'if (fence.cancel_requested_by !== null) {',
    replace: 'if (Number.isNaN(0)) {',
    tests: [QUIET],
    title: 'is seen by the fence',
  },
  {
    id: 'effects.fence-lets-older-attempts-pass',
    file: 'src/engine/sql/fence.ts',
    find: 'l.part = $2 and l.attempt = $3 and (l.worker_id = $4) is true\n      for share of l',
    replace: 'l.part = $2 and l.attempt >= $3 and (l.worker_id = $4 or true) is true\n      for share of l',
    tests: [MODEL],
  },
  {
    id: 'effects.fence-lets-another-worker-pass',
    file: 'src/engine/sql/fence.ts',
    find: 'l.part = $2 and l.attempt = $3 and (l.worker_id = $4) is true\n      for share of l',
    replace: 'l.part = $2 and l.attempt = $3 and (l.worker_id = $4 or true) is true\n      for share of l',
    tests: [LOST],
  },
  {
    id: 'effects.lost-commits-not-noticed',
    file: 'src/engine/sql/checkpoints.ts',
    find: 'where c.commits between coalesce($6::bigint, c.commits) and coalesce($7::bigint, c.commits)',
    replace: 'where ($6::bigint + $7::bigint) is not null or c.commits >= 0',
    tests: [LOST],
  },
  {
    id: 'effects.fence-does-not-lock',
    file: 'src/engine/sql/fence.ts',
    find: '      for share of l`',
    replace: '      `',
    tests: [MODEL],
  },
  {
    id: 'effects.checkpoint-forgotten',
    file: EFFECTS,
    find: 'state: effects.checkpoint === undefined ? null : JSON.stringify(effects.checkpoint),',
    replace: 'state: null,',
    tests: ['src/engine/worker.db.test.ts'],
    title: 'resumes from the checkpoint',
  },
  {
    id: 'effects.checkpoint-of-another-part',
    file: 'src/engine/sql/checkpoints.ts',
    find: 'where run_id = $1 and stage = $2 and part = $3`',
    replace: `where run_id = $1 and stage = $2 and part >= left($3, 0) order by part desc limit 1\``,
    tests: [QUIET],
    title: 'parts of a stage',
  },
  {
    id: 'effects.stage-may-end-the-transaction',
    file: EFFECTS,
    find: 'if ((await leaveStage(tx)) !== xid)',
    replace: 'if ((await leaveStage(tx)) === xid + xid)',
    tests: ['src/engine/careless-stages.db.test.ts'],
  },
  {
    id: 'effects.rejects-kept-after-a-rollback',
    file: EXECUTION,
    find: 'this.#rejects.length = refusedBefore;',
    replace: '',
    tests: [QUIET],
    title: 'are refused once',
  },
  {
    id: 'effects.rejects-written-with-every-commit',
    file: EXECUTION,
    find: 'this.#rejects = [];\n      this.#limitsHit',
    replace: 'this.#limitsHit',
    tests: [QUIET],
    title: 'are refused once',
  },
  {
    id: 'effects.last-rejects-forgotten',
    file: EXECUTION,
    find: 'if (this.#rejects.length > 0) await this.commit(async () => {}, {});',
    replace: '',
    tests: [QUIET],
    title: 'after its last commit',
  },
  {
    id: 'effects.commit-in-doubt-repeated',
    file: EFFECTS,
    find: "if (counted !== 'unknown') return counts.contains(part, raised, counted);",
    replace: "if (counted !== 'unknown') return false;",
    tests: [QUIET],
    title: 'whose COMMIT lost its connection',
  },
  {
    id: 'effects.commit-in-doubt-believed',
    file: EFFECTS,
    find: "if (counted !== 'unknown') return counts.contains(part, raised, counted);",
    replace: "if (counted !== 'unknown') return true;",
    tests: [QUIET],
    title: 'whose COMMIT lost its connection',
  },
  {
    id: 'effects.cancelled-run-completes',
    file: EXECUTION,
    find: "if (this.#stop?.reason === 'cancelled')",
    replace: "if (this.#stop?.reason === 'stalled')",
    tests: [QUIET, 'src/engine/actions.db.test.ts'],
  },
];

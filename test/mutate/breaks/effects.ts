// Breaks of the effects transaction: fence, checkpoint, rejects, and what becomes of a COMMIT nobody heard of.
import { type Break, MODEL, QUIET } from '../break.ts';

const EFFECTS = 'src/engine/effects.ts';
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
    find: 'where l.run_id = $1 and l.attempt = $2',
    replace: 'where l.run_id = $1 and l.attempt >= $2',
    tests: [MODEL],
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
    find: 'if (effects.checkpoint !== undefined) {',
    replace: 'if (effects.checkpoint === null) {',
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
    find: 'this.#rejects = [];\n      this.lastSignOfLife',
    replace: 'this.lastSignOfLife',
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
    find: "if (status === 'committed') return true;",
    replace: "if (status === 'committed') return false;",
    tests: [QUIET],
    title: 'whose COMMIT lost its connection',
  },
  {
    id: 'effects.commit-in-doubt-believed',
    file: EFFECTS,
    find: "if (status === 'aborted' || status === null) return false;",
    replace: "if (status === 'aborted' || status === null) return true;",
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

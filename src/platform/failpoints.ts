// Named places where a test may kill the process, so that crash safety is proved at every boundary and not only by luck.
// Unarmed, a failpoint is one comparison. Arming is for the chaos suites; a boundary without a failpoint fails their test.

/** Every failpoint of the product. A name that is not listed does not compile. */
export const failpoints = [
  'enqueue.before_commit',
  'enqueue.between_chunks',
  'enqueue.after_commit',
  'register.before_commit',
  'claim.before_commit',
  'claim.after_commit',
  'stage.begin',
  'stage.first_byte',
  'commit.after_fence',
  'commit.after_effects',
  'commit.after_checkpoint',
  'commit.after_commit',
  'finish.before_commit',
  'finish.after_commit',
  'release.after_commit',
  'cancel.before_commit',
  'cancel.after_commit',
  'retry.before_commit',
  'retry.after_commit',
  'rescue.before_commit',
  'rescue.after_commit',
  'pump.before_commit',
  'pump.after_commit',
  'consumer.before_commit',
  'consumer.after_commit',
  'schedule.before_commit',
  'schedule.after_commit',
  'due.after_commit',
  'heartbeat.after_renew',
  'drain.before_release',
  'prune.between_steps',
  'history.before_commit',
  'history.between_steps',
  'replay.before_commit',
  'blob.after_write',
  'blob.after_rename',
  'sweep.after_mark',
  'source.after_claim',
  'source.after_deliver',
  'source.before_move',
  'sync.after_take',
  'sync.after_settled',
  'sync.after_withdraw',
  'sync.before_put_away',
  'alerts.before_commit',
  'alerts.after_commit',
  'alerts.folded',
  'alerts.send_taken',
  'alerts.sent_not_noted',
  'webhook.taken',
  'webhook.called_not_noted',
  'webhook.before_commit',
  'webhook.after_commit',
] as const;

export type Failpoint = (typeof failpoints)[number];

let armed: { name: Failpoint; hits: number; signal: 'SIGKILL' | 'SIGSTOP' } | undefined;

/** Dies at the `hits`-th time the failpoint is reached, as kill -9 would have it: no handler runs. */
function armFailpoint(name: Failpoint, hits = 1, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
  armed = { name, hits, signal };
}

/** Reads "name", "name:hits" or "name:hits:stop": stopped where it stands instead of killed, until somebody lets it go on. */
export function armFromText(text: string): void {
  const [name, hits, act] = text.split(':');
  const known = failpoints.find((candidate) => candidate === name);
  if (!known) throw new Error(`unknown failpoint "${name}"`);
  armFailpoint(known, hits === undefined ? 1 : Number(hits), act === 'stop' ? 'SIGSTOP' : 'SIGKILL');
}

export function failpoint(name: Failpoint): void {
  if (armed === undefined || armed.name !== name) return;
  armed.hits -= 1;
  if (armed.hits > 0) return;
  const { signal } = armed;
  armed = undefined;
  process.kill(process.pid, signal);
}

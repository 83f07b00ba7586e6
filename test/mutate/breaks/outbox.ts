// Breaks of the outbox: places, consumers, pruning, and webhooks that are fed from it.
import { type Break, QUIET } from '../break.ts';

const FEED = 'src/engine/sql/event-feed.ts';
const PRUNE = 'src/engine/sql/prune.ts';
const PRUNER = 'src/engine/services/pruner.db.test.ts';
const HISTORY = 'src/engine/services/history.db.test.ts';
const SERVICES = 'src/engine/services.db.test.ts';

export const outboxBreaks: readonly Break[] = [
  {
    id: 'outbox.pump-without-its-lock',
    file: FEED,
    find: 'if (!lock.rows[0]?.got) return null;',
    replace: '',
    tests: [QUIET],
    title: 'gives no place',
  },
  {
    id: 'outbox.event-stays-in-the-inbox',
    file: FEED,
    find: 'select event_id from taken order by event_id`',
    replace: 'select event_id from taken where event_id % 7 <> 0 order by event_id`',
    tests: [SERVICES],
    title: 'the outbox',
  },
  {
    id: 'outbox.feed-skips-one',
    file: FEED,
    find: 'where p.position > $1\n',
    replace: 'where p.position > $1 + 1\n',
    tests: [SERVICES],
  },
  {
    id: 'outbox.consumer-never-moves-on',
    file: 'src/engine/consumer.ts',
    find: 'await advanceConsumer(tx, options.name, last.position);',
    replace: '',
    tests: [SERVICES],
    title: 'a consumer',
  },
  {
    id: 'outbox.consumer-moves-on-without-its-work',
    file: 'src/engine/consumer.ts',
    find: 'await options.apply(tx, events);',
    replace: 'await options.apply(tx, events).catch(() => undefined);',
    tests: [QUIET],
    title: 'a consumer',
  },
  {
    id: 'outbox.two-consume-at-once',
    file: FEED,
    find: 'from engine.consumers where consumer = $1 for update skip locked',
    replace: 'from engine.consumers where consumer = $1',
    tests: [QUIET],
    title: 'a consumer',
  },
  {
    id: 'outbox.event-of-a-run-twice',
    file: 'src/engine/sql/insert-events.ts',
    find: 'on conflict (run_id, type, key) where run_id is not null do nothing',
    replace: 'on conflict (run_id, type, key) where run_id is not null do update set key = gen_random_uuid()::text',
    tests: [SERVICES],
    title: 'keeps one event per run',
  },
  {
    id: 'outbox.pruner-deletes-the-unread',
    file: PRUNE,
    find: '(select coalesce(min(position), 9223372036854775807) from engine.consumers)',
    replace: '(select coalesce(max(position), 9223372036854775807) from engine.consumers)',
    tests: [QUIET],
    title: 'outlive their time',
  },
  {
    id: 'outbox.pruner-deletes-the-young',
    file: PRUNE,
    find: "where e.created_at < (select engine.now() - $2 * interval '1 day')",
    replace: "where e.created_at < (select engine.now() - $2 * interval '1 millisecond')",
    tests: [PRUNER],
    title: 'events of no run',
  },
  {
    id: 'outbox.history-frees-a-key-that-refuses-for-ever',
    file: 'src/engine/sql/move-to-history.ts',
    find: 'select tenant_id, pipeline, unique_key, id from gone where',
    replace: 'select tenant_id, pipeline, unique_key, id from gone where false and',
    tests: [HISTORY],
    title: 'refuses its unique key',
  },
  {
    id: 'outbox.history-moves-without-the-lock-of-keys',
    file: 'src/engine/services/history.ts',
    find: 'const free = await lockKeysOf(tx, ids);',
    replace: 'const free = ids;',
    tests: [HISTORY],
    title: 'that somebody is enqueuing',
  },
  {
    id: 'outbox.history-moves-the-unread',
    file: 'src/engine/sql/move-to-history.ts',
    find: '(select position from read_up_to)',
    replace: '9223372036854775807',
    tests: [HISTORY],
    title: 'has an event that a consumer has not read',
  },
  {
    id: 'outbox.pruner-takes-open-rejects',
    file: PRUNE,
    find: "x.status in ('replayed', 'resolved') and",
    replace: 'true and',
    tests: [PRUNER],
    title: 'open rejects',
  },
  {
    id: 'outbox.month-leaves-whatever-it-holds',
    file: 'src/engine/services/history.ts',
    find: 'if (why !== null) {',
    replace: 'if (why === undefined) {',
    tests: [HISTORY],
    title: 'leaves the history once nothing',
  },
  {
    id: 'outbox.webhook-to-an-endpoint-that-is-gone',
    file: 'src/outbound/webhooks/verdict.ts',
    find: 'if (status === 410)',
    replace: 'if (status === 411)',
    tests: ['src/outbound/webhooks/webhooks.db.test.ts'],
    title: '410',
  },
  {
    id: 'outbox.pruner-ends-at-the-first-table-that-fails',
    file: 'src/engine/services/pruner.ts',
    find: "log.warn({ what, err: error }, 'something could not be pruned; it is tried again');",
    replace: 'throw error;',
    tests: [PRUNER],
    title: 'what fails in one table',
  },
];

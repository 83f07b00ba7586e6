// Breaks of sources: what a listing proves, what is taken and when, what may be reached, and who reads a credential.
import type { Break } from '../break.ts';

const SYNC = 'src/pipelines/sources/sync.ts';
const TAKE = 'src/pipelines/sources/take-object.ts';
const PAGE = 'src/pipelines/sources/sync-page.ts';
const S3 = 'src/sources/s3/s3-place.ts';
const FTP = 'src/sources/ftp/ftp-place.ts';
const SFTP = 'src/sources/sftp/sftp-place.ts';

const SYNC_TEST = 'src/pipelines/sources/sync.db.test.ts';
const LISTING_TEST = 'src/pipelines/sources/listing.db.test.ts';
const TROUBLE_TEST = 'src/pipelines/sources/trouble.db.test.ts';
const CHANGE_TEST = 'src/pipelines/sources/change.db.test.ts';
const SHUT_TEST = 'src/pipelines/sources/shut-directories.db.test.ts';
const PLACES_TEST = 'src/sources/places.test.ts';

const ENDS_LISTING = 'if (page.IsTruncated === true && (next === undefined || next === token || found.length === 0))';

export const sourceBreaks: readonly Break[] = [
  {
    id: 'sources.cut-listing-is-whole',
    file: S3,
    find: `${ENDS_LISTING}\n        throw`,
    replace: 'if (page.IsTruncated === true && next === undefined && found.length === 0)\n        throw',
    tests: [LISTING_TEST],
    title: 'does not go on is none',
  },
  {
    id: 'sources.broken-listing-is-whole',
    file: SYNC,
    find: 'for await (const page of place.list({ ...part, after: from.after }, context.signal)) {',
    replace: `const untilItBreaks = async function* (pages: AsyncIterable<readonly PlacedObject[]>) {
    try {
      yield* pages;
    } catch {
      return;
    }
  };
  for await (const page of untilItBreaks(
    place.list({ ...part, after: from.after }, context.signal),
  )) {`,
    tests: [LISTING_TEST],
    title: 'breaks off behind its first page',
  },
  {
    id: 'sources.shut-directory-is-empty',
    file: FTP,
    find: "error.code !== 'source_place_gone' || (await this.#isThere(directory))",
    replace: "error.code !== 'source_place_gone'",
    tests: [PLACES_TEST],
    title: 'may not be listed is told',
  },
  {
    id: 'sources.shut-directory-proves-absence',
    file: 'src/pipelines/sources/sync-state.ts',
    find: 'return (counts.unlisted ?? 0) === 0;',
    replace: 'return (counts.unlisted ?? 0) >= 0;',
    tests: [SHUT_TEST],
    title: 'nothing vanishes until',
  },
  {
    id: 'sources.shut-directory-ends-all',
    file: 'src/sources/walk-directories.ts',
    find: 'if (isShut(error) && !walk.prefix.startsWith(directory)) return undefined;',
    replace: "if (isShut(error) && directory === '-') return undefined;",
    tests: [SHUT_TEST],
    title: 'nothing vanishes until',
  },
  {
    id: 'sources.unreached-directory-listed',
    file: 'src/sources/walk-directories.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    find: "reaches?.(key.endsWith('/') ? key : `${key}/`) === false) return false;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    replace: "reaches?.(key.endsWith('/') ? key : `${key}/`) === undefined) return false;",
    tests: [SHUT_TEST],
    title: 'is not asked for if',
  },
  {
    id: 'sources.unseen-unsaid',
    file: 'src/pipelines/sources/unseen.ts',
    find: 'directoriesAbove(key).find((each) => shut.has(each))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    replace: 'directoriesAbove(key).find((each) => shut.has(`${each}/`))',
    tests: [SHUT_TEST],
    title: 'nothing vanishes until',
  },
  {
    id: 'sources.whole-bucket-listed',
    file: 'src/pipelines/sources/listed-part.ts',
    find: 'return shared.startsWith(prefix) ? shared : prefix;',
    replace: "return shared.startsWith(prefix) && prefix !== '' ? shared : prefix;",
    tests: [SHUT_TEST],
    title: 'where include patterns begin alike',
  },
  {
    id: 'sources.too-much-left-out',
    file: 'src/pipelines/sources/listed-part.ts',
    find: 'if (parts.length === 1 || !parts.every(isPlainPart)) return () => true;',
    replace: 'if (parts.length === 1) return () => true;',
    tests: ['src/pipelines/sources/listed-part.test.ts'],
  },
  {
    id: 'sources.shut-folder-is-empty',
    file: 'src/sources/folder/folder-place.ts',
    find: "return code === 'ENOENT' || code === 'ENOTDIR';",
    replace: "return code !== '';",
    tests: [PLACES_TEST],
    title: 'with a directory that may not be read',
  },
  {
    id: 'sources.unentered-directory-is-empty',
    file: SFTP,
    find: 'if (this.#showsItself && !showsItself && directory',
    replace: "if (this.#showsItself && !showsItself && directory === '-' && directory",
    tests: [PLACES_TEST],
    title: 'or not be entered, is told',
  },
  {
    id: 'sources.listing-begins-again',
    file: SYNC,
    find: '...part, after: from.after },',
    replace: '...part, after: null },',
    tests: [LISTING_TEST],
    title: 'stopped in the middle',
  },
  {
    id: 'sources.checkpoint-ignored',
    file: SYNC,
    find: '(await context.checkpoint<SyncState>()) ?? beginning',
    replace: '(await context.checkpoint<SyncState>()) === null ? beginning : beginning',
    tests: [LISTING_TEST],
    title: 'stopped in the middle',
  },
  {
    id: 'sources.endless-listing-followed',
    file: SYNC,
    find: 'if (seen + settling + outside > limit)',
    replace: 'if (seen + settling + outside > limit * 1_000)',
    tests: [TROUBLE_TEST],
    title: 'lists without end',
  },
  {
    id: 'sources.mass-deletion-unasked',
    file: 'src/pipelines/sources/vanished.ts',
    find: 'const MASS_SHARE = 0.2;',
    replace: 'const MASS_SHARE = 1;',
    tests: [SYNC_TEST],
    title: 'holds and asks',
  },
  {
    id: 'sources.mass-deletion-asked-too-late',
    file: 'src/pipelines/sources/vanished.ts',
    find: 'const MASS_SHARE = 0.2;',
    replace: 'const MASS_SHARE = 0.25;',
    tests: ['src/pipelines/sources/vanished.db.test.ts'],
    title: 'a fifth',
  },
  {
    id: 'sources.answer-ignored',
    file: 'src/pipelines/sources/vanished.ts',
    find: "answer?.choice === 'keep' ? 'kept' : 'deleted'",
    replace: "answer?.choice === 'keep' ? 'deleted' : 'deleted'",
    tests: ['src/pipelines/sources/vanished.db.test.ts'],
    title: 'answered with keep',
  },
  {
    id: 'sources.vanished-although-back',
    file: 'src/pipelines/sources/vanished.ts',
    find: 'answer === undefined ? new Set<string>() : await lookAgain(job, batch)',
    replace:
      'answer === undefined ? new Set<string>() : (await lookAgain(job, [])).size > 0 ? new Set<string>() : new Set<string>()',
    tests: [SYNC_TEST],
    title: 'holds and asks',
  },
  {
    id: 'sources.growing-taken',
    file: TAKE,
    find: 'if (ageSeconds >= settleSeconds) return true;',
    replace: 'if (ageSeconds >= settleSeconds || settleSeconds > 0) return true;',
    tests: ['src/pipelines/sources/settle.db.test.ts'],
    title: 'leaves what may be growing to the next sync',
  },
  {
    id: 'sources.two-syncs-at-once',
    file: 'src/pipelines/sources/sources.pipeline.ts',
    find: 'activeKey: ({ input }) => input.source_id,',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    replace: 'activeKey: ({ input }) => `${input.source_id}${performance.now()}`,',
    tests: [SYNC_TEST],
    title: 'is one at a time',
  },
  {
    id: 'sources.tombstone-not-held',
    file: 'src/pipelines/documents/accept-document.ts',
    find: "if (tombstone === undefined || tombstone.kind === 'source_deleted') return;",
    replace: "if (tombstone === undefined || tombstone.kind !== 'purged') return;",
    tests: [SYNC_TEST],
    title: 'holds what an admin took away',
  },
  {
    id: 'sources.changed-taken-as-unchanged',
    file: PAGE,
    find: 'if (known === undefined || known.mark !== object.mark) return false;',
    replace: 'if (known === undefined) return false;',
    tests: [SYNC_TEST],
    title: 'makes one run of each object',
  },
  {
    id: 'sources.etag-ignored',
    file: S3,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    find: '`etag:${ETag}:${Size}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    replace: '`etag:"":${Size}`',
    tests: [PLACES_TEST],
    title: 'of the same length',
  },
  {
    id: 'sources.half-old-half-new',
    file: S3,
    find: 'const IfMatch = version === undefined ? etagOf(object) : undefined;',
    replace: 'const IfMatch = version === undefined ? undefined : undefined;',
    tests: [PLACES_TEST],
    title: 'is not given half old, half new',
  },
  {
    id: 'sources.moved-before-accepted',
    file: TAKE,
    find: 'const runId = await accept(',
    replace:
      "if (source.after_taken === 'move') await place.putAway(object, 'move', signal);\n  const runId = await accept(",
    tests: [LISTING_TEST],
    title: 'not taken in stays where it is',
  },
  {
    id: 'sources.refused-asked-again',
    file: PAGE,
    find: "return known.status === 'live' || known.status === 'refused';",
    replace: "return known.status === 'live';",
    tests: [SYNC_TEST],
    title: 'refuses what cannot be taken',
  },
  {
    id: 'sources.one-denied-ends-all',
    file: 'src/pipelines/sources/look-at-one.ts',
    find: "error.code !== 'source_object_denied'",
    replace: "error.code === 'source_object_denied'",
    tests: ['src/pipelines/sources/denied-look.db.test.ts'],
  },
  {
    id: 'sources.announcement-lost',
    file: 'src/pipelines/sources/announcements.ts',
    find: 'if (!created) return 0;',
    replace: 'if (!created && keys.length === 0) return 0;',
    tests: ['src/pipelines/sources/announcements.db.test.ts'],
    title: 'waits in its queue',
  },
  {
    id: 'sources.credential-answered',
    file: 'src/pipelines/sources/source-view.ts',
    find: 'credential: row.credential_kind,',
    replace: "credential: row.credential === null ? 'none' : (String(row.credential) as 'keys'),",
    tests: [SYNC_TEST],
    title: 'never gives its credential back',
  },
  {
    id: 'sources.credential-in-an-error',
    file: 'src/platform/blob/s3-errors.ts',
    find: "const name = typeof code === 'string' ? code : error.name;",
    replace: "const name = typeof code === 'string' ? code : error.message;",
    tests: [SYNC_TEST],
    title: 'never gives its credential back',
  },
  {
    id: 'sources.credential-unsealed',
    file: 'src/pipelines/sources/set-up.ts',
    find: 'secrets.seal(sourceId, JSON.stringify(credential))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code that is planted
    replace: 'Buffer.from(`${sourceId}${JSON.stringify(credential)}${typeof secrets}`)',
    tests: [SYNC_TEST],
    title: 'never gives its credential back',
  },
  {
    id: 'sources.endpoint-unguarded',
    file: S3,
    find: 'if (options.endpoint !== undefined) guard.requireCallable(',
    replace: 'if (options.endpoint === undefined) guard.requireCallable(',
    tests: [PLACES_TEST],
    title: 'is refused for every kind',
  },
  {
    id: 'sources.endpoint-unguarded-by-name',
    file: 'src/sources/s3/aws-connection.ts',
    find: 'maxSockets: sockets, lookup: guard.lookup as never',
    replace: 'maxSockets: sockets',
    tests: [PLACES_TEST],
    title: 'is refused for every kind',
  },
  {
    id: 'sources.sftp-unguarded-by-name',
    file: 'src/sources/sftp/dial.ts',
    find: 'lookup: guard.lookup as never',
    replace: '',
    tests: [PLACES_TEST],
    title: 'is refused for every kind',
  },
  {
    id: 'sources.ftp-unguarded-by-name',
    file: FTP,
    find: 'const address = await addressOf(host, this.#guard);',
    replace: 'const address = (await addressOf(host, this.#guard).catch(() => host)) || host;',
    tests: [PLACES_TEST],
    title: 'is refused for every kind',
  },
  {
    id: 'sources.queue-unguarded',
    file: 'src/pipelines/sources/set-up.ts',
    find: 'if (wish.queue_url !== null) guardOf(deps)',
    replace: "if (wish.queue_url === '') guardOf(deps)",
    tests: ['src/pipelines/sources/announcements.db.test.ts'],
    title: 'may not be called',
  },
  {
    id: 'sources.host-key-unchecked',
    file: SFTP,
    find: "hostKey.replace(/=+$/, '') === this.hostKey) return true;",
    replace: "hostKey.replace(/=+$/, '') !== '') return true;",
    tests: [PLACES_TEST],
    title: 'is told nothing when its host key',
  },
  {
    id: 'sources.host-key-not-kept',
    file: 'src/pipelines/sources/same-server.ts',
    find: "return typeof pinned === 'string' ? { ...place, host_key: pinned } : place;",
    replace: "return typeof pinned === 'number' ? { ...place, host_key: pinned } : place;",
    tests: [CHANGE_TEST],
    title: 'keeps the pinned one',
  },
  {
    id: 'sources.password-told-to-another-server',
    file: 'src/pipelines/sources/same-server.ts',
    find: "if (isGiven || before.credential_kind !== 'password' ||",
    replace: "if (isGiven || before.credential_kind !== '' ||",
    tests: [CHANGE_TEST],
    title: 'needs the key that a test of it shows',
  },
  {
    id: 'sources.certificate-of-another-name',
    file: FTP,
    find: 'checkServerIdentity: (_, shown) => checkServerIdentity(host, shown)',
    replace: 'checkServerIdentity: () => undefined',
    tests: [PLACES_TEST],
    title: 'of another name',
  },
  {
    id: 'sources.link-followed',
    file: 'src/sources/folder/folder-place.ts',
    find: 'if (parent !== root && !parent.startsWith(root + path.sep))',
    replace: 'if (parent !== root && !parent.startsWith(path.sep))',
    tests: [PLACES_TEST],
    title: 'lists no links',
  },
  {
    id: 'sources.a-listing-for-each-file',
    file: FTP,
    find: 'asked.mark === listed?.mark) this.#isAskedSurely = true;',
    replace: "asked.mark === '') this.#isAskedSurely = true;",
    tests: [PLACES_TEST],
    title: 'without a listing of its directory',
  },
  {
    id: 'sources.moved-has-vanished',
    file: 'src/pipelines/sources/vanished.ts',
    find: "if (source.after_taken === 'move') await keepMoved(job);",
    replace: "if (source.after_taken === 'tag') await keepMoved(job);",
    tests: ['src/pipelines/sources/put-away.db.test.ts'],
  },
  {
    id: 'sources.slow-object-ends-all',
    file: 'src/pipelines/sources/arrival.ts',
    find: 'late.abort(new MillraceError(',
    replace: 'late.abort(new DOMException(reason)) ?? Object.assign(new MillraceError(',
    tests: ['src/pipelines/sources/slow-objects.db.test.ts'],
  },
  {
    id: 'sources.lost-sync-takes',
    file: TAKE,
    find: 'hold: holdSync(job.context.run),',
    replace: 'hold: async () => void holdSync(job.context.run),',
    tests: ['src/pipelines/sources/lost-sync.db.test.ts'],
    title: 'older content of documents',
  },
  {
    id: 'sources.lost-sync-supersedes',
    file: 'src/pipelines/judgments/accept-batch.ts',
    find: 'hold === undefined ? await engine.enqueue(wish)',
    replace: 'hold !== undefined ? await engine.enqueue(wish)',
    tests: ['src/pipelines/sources/lost-sync.db.test.ts'],
    title: 'older content of judgments',
  },
  {
    id: 'sources.lost-sync-takes-away',
    file: 'src/pipelines/documents/withdraw-document.ts',
    find: 'await hold?.(tx);',
    replace: 'void hold;',
    tests: ['src/pipelines/sources/lost-sync.db.test.ts'],
    title: 'has come back',
  },
  {
    id: 'sources.refused-for-good',
    file: TAKE,
    find: "(error.kind === 'conflict' && !isDecided);",
    replace: "(error.kind === 'conflict' && !isDecided && error.code === '');",
    tests: ['src/pipelines/sources/tried-again.db.test.ts'],
  },
  {
    id: 'sources.removed-and-still-served',
    file: 'src/pipelines/sources/remove-source.ts',
    find: 'await endLeaving(deps, source, nothingStays, what);',
    replace: "await endLeaving(deps, source, nothingStays, what === undefined ? what : 'keep');",
    tests: [SYNC_TEST],
    title: 'that is removed',
  },
  {
    id: 'sources.ftp-begins-again',
    file: FTP,
    find: 'this.#download(object, done, signal)',
    replace: 'this.#download(object, done * 0, signal)',
    tests: [PLACES_TEST],
    title: 'goes on behind the bytes',
  },
  {
    id: 'sources.crowded-queues-unheard',
    file: 'src/pipelines/sources/announcements.ts',
    find: 'free.sort((a, b) => at(a) - at(b))',
    replace: 'free.sort((a, b) => at(a) * 0 - at(b) * 0)',
    tests: ['src/pipelines/sources/announcements.db.test.ts'],
    title: 'have their turns',
  },
  {
    id: 'sources.large-object-read',
    file: TAKE,
    find: 'if (object.bytes > limit) throw',
    replace: 'if (object.bytes < 0) throw',
    tests: [TROUBLE_TEST],
    title: 'of 6 GB',
  },
];

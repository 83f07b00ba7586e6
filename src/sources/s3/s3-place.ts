// A bucket, or a part of one. S3 lists keys in the order of their bytes, so a listing goes on behind any key; ETags say whether an object is
// still the one that was listed, and a download that breaks off is taken up where it ended, of that very object or not at all.
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  type GetObjectTaggingCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { compareKeys, type ListedPart, type Place, type PlacedObject, type PlaceGuard } from '../place.ts';
import { awsConnection } from './aws-connection.ts';
import { s3Fault } from './s3-faults.ts';
import type { S3Keys } from './s3-keys.ts';

export interface S3PlaceOptions {
  readonly bucket: string;
  readonly region: string;
  readonly endpoint?: string | undefined;
  readonly pathStyle?: boolean | undefined;
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
  /** Left out: taken objects stay. What lies below it is not listed. */
  readonly moveTo?: string | undefined;
  readonly credentials?: S3Keys | undefined;
}

const PAGE = 1_000;
const READS_AT_ONCE = 8;
const TAG = { Key: 'millrace', Value: 'taken' };
/** How often a download that breaks off is taken up again. */
const RESUMES = 5;

export class S3Place implements Place {
  readonly address: string;
  readonly readsAtOnce = READS_AT_ONCE;
  readonly readsExactly = true;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #moveTo: string | undefined;

  constructor(options: S3PlaceOptions, guard: PlaceGuard) {
    this.#bucket = options.bucket;
    this.#moveTo = options.moveTo?.replace(/\/*$/, '/');
    this.address = `s3://${options.bucket}`;
    if (options.endpoint !== undefined) guard.requireCallable(new URL(options.endpoint).hostname);
    this.#client = clientOf(options, guard);
  }

  uriOf(key: string): string {
    return `s3://${this.#bucket}/${key}`;
  }

  /** A bucket has no directories: what no pattern reaches is left out by the prefix alone. */
  async *list({ prefix, after }: ListedPart, signal: AbortSignal): AsyncGenerator<readonly PlacedObject[]> {
    let last = after;
    let token: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.#send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          MaxKeys: PAGE,
          EncodingType: 'url',
          ...(prefix === '' ? {} : { Prefix: prefix }),
          ...(token === undefined ? (last === null ? {} : { StartAfter: last }) : { ContinuationToken: token }),
        }),
        signal,
      );
      const found = (page.Contents ?? []).filter(({ Key = '' }) => Key !== '').map((each) => listedOf(each, page));
      last = requireOrder(found, last);
      const here = found.filter(({ key }) => !this.#isAway(key));
      const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      if (page.IsTruncated === true && (next === undefined || next === token || found.length === 0))
        throw new MillraceError('source_listing_unusable', { reason: 'it says that there is more and does not go on' });
      token = next;
      if (here.length > 0) yield here;
    } while (token !== undefined);
  }

  async directories(prefix: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    const page: ListObjectsV2CommandOutput = await this.#send(
      new ListObjectsV2Command({
        Bucket: this.#bucket,
        MaxKeys: limit,
        EncodingType: 'url',
        Delimiter: '/',
        Prefix: prefix,
      }),
      signal,
    );
    const found = (page.CommonPrefixes ?? []).flatMap(({ Prefix }) =>
      Prefix === undefined ? [] : [nameOf(Prefix, page)],
    );
    return found.filter((each) => !this.#isAway(each));
  }

  async *read(
    object: PlacedObject,
    signal: AbortSignal,
    onVersion?: (version: string) => void,
  ): AsyncGenerator<Uint8Array> {
    let done = 0;
    let version: string | undefined;
    for (let resumes = 0; ; resumes += 1) {
      try {
        const opened = await this.#open(object, { start: done, version }, signal);
        // Where the bucket keeps versions, the rest comes from this very one, whatever has been put there since.
        version = opened.version;
        if (version !== undefined) onVersion?.(version);
        for await (const chunk of opened.body) {
          done += chunk.byteLength;
          yield chunk;
        }
        if (done === object.bytes) return;
        throw new MillraceError('source_unreachable', { reason: 'the object ended early' });
      } catch (error) {
        const ours = s3Fault(error, signal, object.key);
        const isBroken = ours instanceof MillraceError && ours.code === 'source_unreachable';
        if (!isBroken || done === 0 || resumes === RESUMES || signal.aborted) throw ours;
      }
    }
  }

  async look(key: string, signal: AbortSignal): Promise<PlacedObject | undefined> {
    // Moving an object announces its copy, too.
    return this.#isAway(key) ? undefined : this.#head(key, signal);
  }

  async wasMoved(key: string, signal: AbortSignal): Promise<boolean> {
    return this.#moveTo !== undefined && (await this.#head(`${this.#moveTo}${key}`, signal)) !== undefined;
  }

  async #head(key: string, signal: AbortSignal): Promise<PlacedObject | undefined> {
    try {
      const found = await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }), {
        abortSignal: signal,
      });
      return objectOf({ Key: key, Size: found.ContentLength, ETag: found.ETag, LastModified: found.LastModified });
    } catch (error) {
      const ours = s3Fault(error, signal, key);
      if (ours instanceof MillraceError && ours.code === 'source_object_gone') return undefined;
      throw ours;
    }
  }

  async putAway(object: PlacedObject, how: 'move' | 'tag', signal: AbortSignal): Promise<void> {
    if (how === 'tag') return this.#tag(object.key, signal);
    const CopySource = `${this.#bucket}/${encodeURIComponent(object.key).replaceAll('%2F', '/')}`;
    if (this.#moveTo === undefined) throw new Error('taken objects of this place are not moved');
    const Key = `${this.#moveTo}${object.key}`;
    const CopySourceIfMatch = etagOf(object);
    await this.#send(
      new CopyObjectCommand({
        Bucket: this.#bucket,
        Key,
        CopySource,
        ...(CopySourceIfMatch === undefined ? {} : { CopySourceIfMatch }),
      }),
      signal,
      object.key,
    );
    // A newer object of this name stays; a store that does not know the condition is looked at first.
    if ((await this.look(object.key, signal))?.mark !== object.mark) return;
    await this.#remove(object, signal);
  }

  /**
   * If it is still this one. Some stores that keep versions (OpenStack Swift) compare the condition with something else than the ETag they show:
   * there a removal destroys nothing, so it goes without the condition once the object was looked at.
   */
  async #remove(object: PlacedObject, signal: AbortSignal): Promise<void> {
    const target = { Bucket: this.#bucket, Key: object.key };
    const IfMatch = etagOf(object);
    const condition = IfMatch === undefined ? {} : { IfMatch };
    try {
      await this.#send(new DeleteObjectCommand({ ...target, ...condition }), signal, object.key);
    } catch (error) {
      if (!(error instanceof MillraceError) || error.code !== 'source_file_changing') throw error;
      const now = await this.#send<HeadObjectCommandOutput>(new HeadObjectCommand(target), signal, object.key);
      const isKept = now.VersionId !== undefined && now.VersionId !== 'null';
      if (!isKept || now.ETag !== IfMatch) throw error;
      await this.#send(new DeleteObjectCommand(target), signal, object.key);
    }
  }

  #isAway(key: string): boolean {
    return this.#moveTo !== undefined && key.startsWith(this.#moveTo);
  }

  /** Beside the tags that are there: writing tags replaces them all. */
  async #tag(Key: string, signal: AbortSignal): Promise<void> {
    const target = { Bucket: this.#bucket, Key };
    const { TagSet = [] } = await this.#send<GetObjectTaggingCommandOutput>(
      new GetObjectTaggingCommand(target),
      signal,
      Key,
    );
    if (TagSet.some((tag) => tag.Key === TAG.Key && tag.Value === TAG.Value)) return;
    const Tagging = { TagSet: [...TagSet.filter((tag) => tag.Key !== TAG.Key), TAG] };
    await this.#send(new PutObjectTaggingCommand({ ...target, Tagging }), signal, Key);
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #open(
    object: PlacedObject,
    { start, version }: { readonly start: number; readonly version: string | undefined },
    signal: AbortSignal,
  ): Promise<{ readonly body: Readable; readonly version: string | undefined }> {
    const IfMatch = version === undefined ? etagOf(object) : undefined;
    const answer = await this.#client.send(
      new GetObjectCommand({
        Bucket: this.#bucket,
        Key: object.key,
        ...(IfMatch === undefined ? {} : { IfMatch }),
        ...(version === undefined ? {} : { VersionId: version }),
        ...(start > 0 ? { Range: `bytes=${start}-` } : {}),
      }),
      { abortSignal: signal },
    );
    // Stores that do not know If-Match answer with whatever is there now.
    if (IfMatch !== undefined && answer.ETag !== undefined && answer.ETag !== IfMatch)
      throw new MillraceError('source_file_changing', { name: object.key.split('/').at(-1) ?? '' });
    if (!(answer.Body instanceof Readable))
      throw new MillraceError('source_unreachable', { reason: 'an answer without a body' });
    // "null" is what a bucket calls objects from before it kept versions.
    const known = answer.VersionId === 'null' ? undefined : answer.VersionId;
    return { body: answer.Body, version: version ?? known };
  }

  async #send<Output>(command: object, signal: AbortSignal, key?: string): Promise<Output> {
    try {
      // The client's own overloads name each command; what is answered is said by the caller.
      return (await this.#client.send(command as never, { abortSignal: signal })) as Output;
    } catch (error) {
      throw s3Fault(error, signal, key);
    }
  }
}

function clientOf(options: S3PlaceOptions, guard: PlaceGuard): S3Client {
  const { endpoint, region, roleArn, externalId, credentials: keys } = options;
  return new S3Client({
    ...awsConnection({ region, roleArn, externalId, keys }, guard, READS_AT_ONCE + 2),
    forcePathStyle: options.pathStyle ?? endpoint !== undefined,
    maxAttempts: 3,
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

interface Listed {
  readonly Key?: string | undefined;
  readonly Size?: number | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
}

function objectOf({ Key = '', Size = 0, ETag, LastModified }: Listed): PlacedObject {
  const modifiedAt = LastModified ?? null;
  const mark =
    ETag === undefined || ETag === '' ? `time:${modifiedAt?.getTime() ?? ''}:${Size}` : `etag:${ETag}:${Size}`;
  return { key: Key, bytes: Size, modifiedAt, mark };
}

/** XML cannot say every sign that a key may have, such as a carriage return: a listing is asked for percent-encoded names. Not every store does so. */
function nameOf(given: string, { EncodingType }: Pick<ListObjectsV2CommandOutput, 'EncodingType'>): string {
  if (EncodingType !== 'url') return given;
  try {
    return decodeURIComponent(given.replaceAll('+', ' '));
  } catch (cause) {
    // S3 has no such keys. Where such a one stands among the others is not known, so the listing proves no absence.
    throw new MillraceError('source_listing_unusable', { reason: 'a key is not UTF-8 text' }, { cause });
  }
}

/** The database keeps no NUL; the sign behind it keeps the key at its place in the order. */
function listedOf(listed: Listed, page: ListObjectsV2CommandOutput): PlacedObject {
  const name = nameOf(listed.Key ?? '', page);
  if (!name.includes('\0')) return objectOf({ ...listed, Key: name });
  const fault = new MillraceError('source_object_name_unusable', { reason: 'it has a NUL' });
  return { ...objectOf({ ...listed, Key: name.replaceAll('\0', '\u0001') }), fault };
}

function etagOf({ mark }: PlacedObject): string | undefined {
  return /^etag:(?<etag>.*):\d+$/s.exec(mark)?.groups?.etag;
}

function requireOrder(found: readonly PlacedObject[], before: string | null): string | null {
  let last = before;
  for (const { key } of found) {
    if (last !== null && compareKeys(key, last) <= 0)
      throw new MillraceError('source_listing_unusable', { reason: 'its keys are not in order' });
    last = key;
  }
  return last;
}

// Blobs as objects of an S3 bucket (or of anything that speaks its protocol): `<prefix><tenant>/<blob>.<ext>`.
//
// A put gathers parts of 8 MiB in memory and sends two at a time, so one put holds at most three parts; a small file is one
// request. Every request carries a checksum of its bytes, and an existing object is refused (If-None-Match). Whatever
// fails, the multipart upload is aborted before put returns; one left by a killed process is found by removeUnfinished.
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type BlobKey, isBlobKey, parseBlobKey } from './blob-key.ts';
import type { BlobInfo, BlobStore, PutOptions, StoredBlob } from './blob-store.ts';
import { ByteMeter, untilAborted } from './byte-meter.ts';
import { translateS3Error } from './s3-errors.ts';
import { abortUnfinished, MultipartUpload } from './s3-multipart.ts';

/** S3 takes no part below 5 MiB but the last, and at most 10,000 of them: 8 MiB reaches 78 GiB. */
const defaultPartBytes = 8 * 1024 * 1024;
/** Longer than the slowest upload of 50 MB that the intake allows. */
const defaultAbandonedAfterMs = 48 * 3_600_000;

export interface S3BlobStoreOptions {
  readonly bucket: string;
  /** Put before every key; either empty or ending in "/". */
  readonly prefix?: string;
  readonly region: string;
  /** For services other than AWS. */
  readonly endpoint?: string;
  /** Bucket in the path instead of the host name, which most services other than AWS need. */
  readonly forcePathStyle?: boolean;
  /** Left out, the AWS default chain finds them (environment, profile, instance role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly partBytes?: number;
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** An upload begun longer ago than this belongs to no living process. S3 does not say when its last part came. */
  readonly abandonedAfterMs?: number;
}

export class S3BlobStore implements BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #partBytes: number;
  readonly #abandonedAfterMs: number;

  constructor(options: S3BlobStoreOptions) {
    this.#bucket = options.bucket;
    this.#prefix = options.prefix ?? '';
    this.#partBytes = options.partBytes ?? defaultPartBytes;
    this.#abandonedAfterMs = options.abandonedAfterMs ?? defaultAbandonedAfterMs;
    this.#client = new S3Client({
      region: options.region,
      forcePathStyle: options.forcePathStyle ?? false,
      maxAttempts: 3,
      requestHandler: {
        connectionTimeout: options.connectTimeoutMs ?? 5_000,
        requestTimeout: options.requestTimeoutMs ?? 60_000,
        throwOnRequestTimeout: true,
      },
      ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
      ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    });
  }

  async put(key: BlobKey, body: AsyncIterable<Uint8Array>, options: PutOptions): Promise<StoredBlob> {
    const target = { Bucket: this.#bucket, Key: this.#nameOf(key) };
    const meter = new ByteMeter(options.maxBytes);
    const gathered = new PartGatherer(this.#partBytes);
    let upload: MultipartUpload | undefined;
    try {
      for await (const chunk of untilAborted(body, options.signal)) {
        meter.take(chunk);
        for (const part of gathered.add(chunk)) {
          upload ??= await MultipartUpload.begin(this.#client, target);
          await upload.send(part);
        }
      }
      options.signal?.throwIfAborted();
      await this.#finish(target, upload, gathered.rest());
      return meter.finish();
    } catch (error) {
      await upload?.abort();
      throw translateS3Error(error, key);
    }
  }

  async get(key: BlobKey, options: { readonly start?: number; readonly signal?: AbortSignal } = {}): Promise<Readable> {
    const { start = 0, signal } = options;
    try {
      const answer = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: this.#nameOf(key),
          ...(start > 0 ? { Range: `bytes=${start}-` } : {}),
        }),
        signal === undefined ? {} : { abortSignal: signal },
      );
      if (!(answer.Body instanceof Readable)) throw new MillraceError('blob_missing', { blob: key });
      return answer.Body;
    } catch (error) {
      if (error instanceof Error && error.name === 'InvalidRange') return Readable.from([]);
      throw translateS3Error(error, key);
    }
  }

  async head(key: BlobKey): Promise<BlobInfo | undefined> {
    try {
      const found = await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#nameOf(key) }));
      return { key, bytes: found.ContentLength ?? 0, storedAt: found.LastModified ?? new Date(0) };
    } catch (error) {
      const ours = translateS3Error(error, key);
      if (ours instanceof MillraceError && ours.code === 'blob_missing') return undefined;
      throw ours;
    }
  }

  async delete(key: BlobKey): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: this.#nameOf(key) }));
    } catch (error) {
      throw translateS3Error(error, key);
    }
  }

  async *listStoredBefore(before: Date): AsyncGenerator<BlobInfo> {
    try {
      for await (const page of paginateListObjectsV2(
        { client: this.#client },
        { Bucket: this.#bucket, Prefix: this.#prefix },
      )) {
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          const key = Key.slice(this.#prefix.length);
          if (!isBlobKey(key) || LastModified === undefined || LastModified >= before) continue;
          yield { key, bytes: Size, storedAt: LastModified };
        }
      }
    } catch (error) {
      throw translateS3Error(error, this.#prefix);
    }
  }

  async removeUnfinished(olderThanMs: number): Promise<number> {
    try {
      const before = new Date(Date.now() - Math.max(olderThanMs, this.#abandonedAfterMs));
      return await abortUnfinished(this.#client, { Bucket: this.#bucket, Prefix: this.#prefix }, before);
    } catch (error) {
      throw translateS3Error(error, this.#prefix);
    }
  }

  async check(): Promise<void> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }));
    } catch (error) {
      const ours = translateS3Error(error, this.#bucket);
      if (!(ours instanceof MillraceError) || ours.code !== 'blob_missing') throw ours;
      throw new MillraceError('blob_store_refused', { reason: 'there is no such bucket' }, { cause: error });
    }
  }

  uriOf(key: BlobKey): string {
    return `s3://${this.#bucket}/${this.#prefix}${parseBlobKey(key)}`;
  }

  keyOf(uri: string): BlobKey | undefined {
    const start = `s3://${this.#bucket}/${this.#prefix}`;
    const key = uri.startsWith(start) ? uri.slice(start.length) : '';
    return isBlobKey(key) ? key : undefined;
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #nameOf(key: BlobKey): string {
    return this.#prefix + parseBlobKey(key);
  }

  async #finish(
    target: { Bucket: string; Key: string },
    upload: MultipartUpload | undefined,
    rest: Buffer,
  ): Promise<void> {
    if (upload === undefined) {
      await this.#client.send(new PutObjectCommand({ ...target, Body: rest, IfNoneMatch: '*' }));
      return;
    }
    if (rest.byteLength > 0) await upload.send(rest);
    await upload.complete();
  }
}

/** Cuts a stream of chunks into parts of one size. Copies once, and only holds what was really received. */
class PartGatherer {
  readonly #partBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  *add(chunk: Uint8Array): Generator<Buffer> {
    let rest = chunk;
    while (this.#bytes + rest.byteLength >= this.#partBytes) {
      const room = this.#partBytes - this.#bytes;
      this.#keep(rest.subarray(0, room));
      rest = rest.subarray(room);
      yield this.rest();
    }
    if (rest.byteLength > 0) this.#keep(rest);
  }

  rest(): Buffer {
    const part = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
    return part;
  }

  #keep(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
  }
}

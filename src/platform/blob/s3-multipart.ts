// One multipart upload to S3: parts sent two at a time, completed in order, or aborted so that no part is left to be paid for.
// Driven by hand instead of by @aws-sdk/lib-storage, which sends no abort when the completing request fails and, when aborted,
// answers before its parts are gone.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

const partsAtOnce = 2;

export interface S3Target {
  readonly Bucket: string;
  readonly Key: string;
}

export class MultipartUpload {
  readonly #client: S3Client;
  readonly #target: S3Target & { readonly UploadId: string | undefined };
  readonly #parts: { PartNumber: number; ETag: string | undefined }[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #isCompleting = false;

  private constructor(client: S3Client, target: S3Target, uploadId: string | undefined) {
    this.#client = client;
    this.#target = { ...target, UploadId: uploadId };
  }

  static async begin(client: S3Client, target: S3Target): Promise<MultipartUpload> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    return new MultipartUpload(client, target, UploadId);
  }

  /** Returns as soon as there is room for another part; a part that failed is told by the next call. */
  async send(body: Buffer): Promise<void> {
    this.#throwIfFailed();
    const part = { PartNumber: this.#parts.length + 1, ETag: undefined as string | undefined };
    this.#parts.push(part);
    const sending = this.#client
      .send(new UploadPartCommand({ ...this.#target, PartNumber: part.PartNumber, Body: body }))
      .then(
        ({ ETag }) => {
          part.ETag = ETag;
        },
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
    if (this.#underWay.size >= partsAtOnce) await Promise.race(this.#underWay);
    this.#throwIfFailed();
  }

  async complete(): Promise<void> {
    await Promise.all(this.#underWay);
    this.#throwIfFailed();
    this.#isCompleting = true;
    await this.#client.send(
      new CompleteMultipartUploadCommand({
        ...this.#target,
        MultipartUpload: { Parts: this.#parts },
        IfNoneMatch: '*',
      }),
    );
  }

  /** Never fails: the error that led here is the one worth telling, and removeUnfinished comes by later. */
  async abort(): Promise<void> {
    await Promise.all(this.#underWay);
    const aborted = await this.#client
      .send(new AbortMultipartUploadCommand(this.#target))
      .catch((error: unknown) => error);
    // A completion whose answer was lost may have made the object after all; a refused one (it exists) must not remove it.
    const mayHaveCompleted = this.#isCompleting && aborted instanceof Error && aborted.name === 'NoSuchUpload';
    if (mayHaveCompleted) {
      const { Bucket, Key } = this.#target;
      await this.#client.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => undefined);
    }
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Aborts every upload begun before `before`; returns how many there were. */
export async function abortUnfinished(
  client: S3Client,
  place: { readonly Bucket: string; readonly Prefix: string },
  before: Date,
): Promise<number> {
  let aborted = 0;
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (marker !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ ...place, ...marker }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated >= before) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket: place.Bucket, Key, UploadId }));
      aborted += 1;
    }
    marker = nextMarker(page);
  }
  return aborted;
}

function nextMarker(page: ListMultipartUploadsCommandOutput) {
  if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return undefined;
  return {
    KeyMarker: page.NextKeyMarker,
    ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
  };
}

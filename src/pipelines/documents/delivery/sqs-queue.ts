// The queue of document runs on SQS, or on anything that speaks its protocol: its client, what is asked of it, and INGEST_MODE=queue as a
// transport. The address of the queue is the operator's own setting, so private addresses are called too.
import type { Message, SQSClient, SQSClientConfig } from '@aws-sdk/client-sqs';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { DeliverySettings } from './delivery-shape.ts';
import type { Transport } from './transport.ts';

const CONNECT_MS = 3_000;
/** Longer than the longest poll. */
const REQUEST_MS = 30_000;
const SEND_MS = 20_000;

export interface ReceiveOptions {
  readonly waitSeconds: number;
  readonly hiddenSeconds: number;
  readonly most: number;
  readonly signal?: AbortSignal;
}

/** Loaded when a queue is used: few installations have one, and every process would start later. */
const loadSdk = () => import('@aws-sdk/client-sqs');

export class SqsQueue {
  readonly url: string;
  readonly #options: SQSClientConfig;
  #client: SQSClient | undefined;

  constructor(url: string, settings: Pick<DeliverySettings, 'sqsRegion' | 'sqsAccessKeyId' | 'sqsSecretAccessKey'>) {
    const { sqsRegion: region, sqsAccessKeyId: accessKeyId, sqsSecretAccessKey: secretAccessKey } = settings;
    this.url = url;
    this.#options = {
      region,
      endpoint: new URL(url).origin,
      maxAttempts: 2,
      requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : { credentials: { accessKeyId, secretAccessKey } }),
    };
  }

  async #open() {
    const sdk = await loadSdk();
    this.#client ??= new sdk.SQSClient(this.#options);
    return { sdk, client: this.#client };
  }

  async send(body: string, signal: AbortSignal): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.SendMessageCommand({ QueueUrl: this.url, MessageBody: body }), { abortSignal: signal });
  }

  async receive({ waitSeconds, hiddenSeconds, most, signal }: ReceiveOptions): Promise<Message[]> {
    const { sdk, client } = await this.#open();
    const { Messages: messages = [] } = await client.send(
      new sdk.ReceiveMessageCommand({
        QueueUrl: this.url,
        MaxNumberOfMessages: most,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: hiddenSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
      signal === undefined ? {} : { abortSignal: signal },
    );
    return messages;
  }

  async acknowledge(receipt: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteMessageCommand({ QueueUrl: this.url, ReceiptHandle: receipt }));
  }

  async hide(receipt: string, seconds: number): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(
      new sdk.ChangeMessageVisibilityCommand({
        QueueUrl: this.url,
        ReceiptHandle: receipt,
        VisibilityTimeout: Math.min(seconds, 43_200),
      }),
    );
  }

  async attributes(): Promise<Readonly<Record<string, string>>> {
    const { sdk, client } = await this.#open();
    const { Attributes: attributes = {} } = await client.send(
      new sdk.GetQueueAttributesCommand({ QueueUrl: this.url, AttributeNames: ['All'] }),
    );
    return attributes;
  }

  async setRedrive(deadLetterArn: string, maxReceiveCount: number): Promise<void> {
    const policy = JSON.stringify({ deadLetterTargetArn: deadLetterArn, maxReceiveCount: String(maxReceiveCount) });
    const { sdk, client } = await this.#open();
    await client.send(new sdk.SetQueueAttributesCommand({ QueueUrl: this.url, Attributes: { RedrivePolicy: policy } }));
  }

  close(): void {
    this.#client?.destroy();
  }
}

/** Gives the queue its way to the dead-letter queue where it has none. One that it has is the operator's. */
export async function ensureRedrive(queue: SqsQueue, dead: SqsQueue, maxReceiveCount: number): Promise<void> {
  if ((await queue.attributes()).RedrivePolicy !== undefined) return;
  const { QueueArn: arn } = await dead.attributes();
  if (arn !== undefined) await queue.setRedrive(arn, maxReceiveCount);
}

export function createQueueTransport(queue: SqsQueue): Transport {
  return {
    mode: 'queue',
    timeoutMs: SEND_MS,
    async send(payload, signal) {
      try {
        await queue.send(JSON.stringify(payload), AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]));
        return undefined;
      } catch (error) {
        return new MillraceError('queue_publish_failed', {}, { cause: new Error((error as Error).name) });
      }
    },
    async check() {
      await queue.attributes();
    },
    close: () => queue.close(),
  };
}

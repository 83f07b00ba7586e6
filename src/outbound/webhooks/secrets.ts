// Secrets and signatures as the Standard Webhooks specification has them: whsec_ and 32 random bytes, HMAC-SHA256 over
// "id.timestamp.body". At rest a secret is sealed and bound to its endpoint, so that it opens nowhere else.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

/** The installation's box (AES-256-GCM); `open` is undefined for what was sealed with another key or for something else. */
export interface SealingBox {
  seal(boundTo: string, text: string): Buffer;
  open(boundTo: string, sealed: Buffer): string | undefined;
}

export interface SealedSecrets {
  readonly endpoint_id: string;
  readonly secret: Buffer;
  /** Only while it may still sign. */
  readonly former_secret: Buffer | null;
}

const secretBytes = 32;

export function makeSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}

export function sealSecret(box: SealingBox, endpointId: string, secret: string): Buffer {
  return box.seal(`webhook:${endpointId}`, secret);
}

/** The headers of one try. While a rotation is fresh there are two signatures, the new one first. */
export function signedHeaders(
  box: SealingBox,
  sealed: SealedSecrets,
  message: { readonly id: string; readonly at: Date; readonly body: string },
): Record<string, string> {
  const secrets = [sealed.secret, ...(sealed.former_secret === null ? [] : [sealed.former_secret])];
  const signatures = secrets.map((each) =>
    new Webhook(openSecret(box, sealed.endpoint_id, each)).sign(message.id, message.at, message.body),
  );
  return {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(message.at.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

function openSecret(box: SealingBox, endpointId: string, sealed: Buffer): string {
  const secret = box.open(`webhook:${endpointId}`, sealed);
  if (secret === undefined) throw new MillraceError('webhook_secret_unreadable', { endpoint: endpointId });
  return secret;
}

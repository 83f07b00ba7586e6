// How services of AWS and of stores that speak like it are called: to judged addresses only, with keys, a role, or the identity of the server.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { PlaceGuard } from '../place.ts';
import { assumeRole } from './assume-role.ts';
import type { S3Keys } from './s3-keys.ts';

export interface AwsAccount {
  readonly region: string;
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
  /** Left out: the AWS default chain. */
  readonly keys?: S3Keys | undefined;
}

const CONNECT_MS = 5_000;
const REQUEST_MS = 60_000;

/** Options for any client of the SDK. Redirects are not followed by it. */
export function awsConnection({ region, roleArn, externalId, keys }: AwsAccount, guard: PlaceGuard, sockets: number) {
  const agent = { keepAlive: true, maxSockets: sockets, lookup: guard.lookup as never };
  const requestHandler = {
    connectionTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    throwOnRequestTimeout: true,
    httpAgent: new HttpAgent(agent),
    httpsAgent: new HttpsAgent(agent),
  };
  const credentials = roleArn === undefined ? keys : assumeRole({ roleArn, region, keys, externalId, requestHandler });
  return { region, requestHandler, ...(credentials === undefined ? {} : { credentials: credentials as never }) };
}

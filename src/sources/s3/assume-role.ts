// Temporary keys of a role, renewed by the SDK shortly before they expire.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { S3Keys } from './s3-keys.ts';

export interface AssumedRole {
  readonly roleArn: string;
  readonly region: string;
  /** Left out: the AWS default chain. */
  readonly keys: S3Keys | undefined;
  readonly externalId: string | undefined;
  readonly requestHandler: object;
}

const SESSION = 'millrace';

export function assumeRole({ roleArn, region, keys, externalId, requestHandler }: AssumedRole) {
  return async () => {
    const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
    const client = new STSClient({
      region,
      maxAttempts: 3,
      requestHandler,
      ...(keys === undefined ? {} : { credentials: keys as never }),
    });
    try {
      const { Credentials: given } = await client.send(
        new AssumeRoleCommand({
          RoleArn: roleArn,
          RoleSessionName: SESSION,
          ...(externalId === undefined ? {} : { ExternalId: externalId }),
        }),
      );
      if (given?.AccessKeyId === undefined || given.SecretAccessKey === undefined)
        throw new MillraceError('source_denied', { reason: 'the role gave no keys' });
      return {
        accessKeyId: given.AccessKeyId,
        secretAccessKey: given.SecretAccessKey,
        ...(given.SessionToken === undefined ? {} : { sessionToken: given.SessionToken }),
        ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
      };
    } catch (error) {
      throw isRefusal(error)
        ? new MillraceError('source_denied', { reason: 'the role cannot be assumed with these keys' }, { cause: error })
        : error;
    } finally {
      client.destroy();
    }
  };
}

/** The bucket may be open to these keys, and the role is not: who reads of it must know which. */
function isRefusal(error: unknown): boolean {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 403;
}

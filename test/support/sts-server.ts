// A token service for tests: answers AssumeRole as AWS does, and remembers what it was asked and who had signed it.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AskedRole {
  readonly action: string | null;
  readonly roleArn: string | null;
  readonly externalId: string | null;
  readonly signedBy: string;
}

export interface StsServer {
  readonly endpoint: string;
  readonly asked: AskedRole[];
  /** From now on nobody may take on a role. */
  refuse(): void;
  close(): Promise<void>;
}

export async function startSts(given: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}): Promise<StsServer> {
  const asked: AskedRole[] = [];
  let isOpen = true;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    asked.push({
      action: form.get('Action'),
      roleArn: form.get('RoleArn'),
      externalId: form.get('ExternalId'),
      signedBy: request.headers.authorization ?? '',
    });
    response.writeHead(isOpen ? 200 : 403, { 'content-type': 'text/xml' });
    response.end(isOpen ? answer(given) : refusal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    refuse: () => {
      isOpen = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const space = 'https://sts.amazonaws.com/doc/2011-06-15/';
const refusal = `<ErrorResponse xmlns="${space}"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>as the test asked</Message></Error><RequestId>1</RequestId></ErrorResponse>`;

function answer({ accessKeyId, secretAccessKey, sessionToken }: Parameters<typeof startSts>[0]): string {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  return `<AssumeRoleResponse xmlns="${space}"><AssumeRoleResult><AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/reader/millrace</Arn><AssumedRoleId>A:millrace</AssumedRoleId></AssumedRoleUser><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expires}</Expiration></Credentials></AssumeRoleResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleResponse>`;
}

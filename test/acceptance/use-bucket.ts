// An installation beside a bucket, for tests of sources: a database, an S3 server, the environment of the built product and files with wishes for it.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, type Environment, makeHome } from './millrace-process.ts';

export function useBucket(name: string, secret: string, more: Environment = {}) {
  const folder = makeHome();
  const credential = { access_key_id: 'test', secret_access_key: secret };
  let database: InstallationDatabase;
  let bucket: S3Server;
  let client: S3Client;
  let env: Environment;

  beforeAll(async () => {
    database = await createDatabase();
    bucket = await startS3Server(name);
    client = new S3Client({
      endpoint: bucket.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: secret },
      forcePathStyle: true,
    });
    env = {
      ...database.env,
      MILLRACE_HOME: makeHome(),
      SHUTDOWN_GRACE_SECONDS: '3',
      POLL_INTERVAL_MS: '100',
      ALLOW_PRIVATE_SOURCES: 'true',
      ...more,
    };
  });
  afterAll(async () => {
    client?.destroy();
    await cleanUp();
    await bucket?.close();
    await database?.drop();
  });

  return {
    credential,
    get database() {
      return database;
    },
    get server() {
      return bucket;
    },
    get env() {
      return env;
    },
    put: (Key: string, Body: string) => client.send(new PutObjectCommand({ Bucket: name, Key, Body })),
    remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket: name, Key })),
    place: () => ({ kind: 's3', bucket: name, endpoint: bucket.endpoint }),
    /** A file for the command line. */
    file(title: string, content: object): string {
      const file = path.join(folder, `${title}.json`);
      writeFileSync(file, JSON.stringify(content));
      return file;
    },
  };
}

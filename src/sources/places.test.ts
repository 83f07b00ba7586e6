// Every kind of place against a real server of its protocol: S3 (fauxqs), SFTP (ssh2), FTP (ftp-srv, with and without MLSD), a folder.
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, PutObjectTaggingCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FtpServer, startFtpServer } from '../../test/support/ftp-server.ts';
import { contentOf, describePlace, listAll, type PlaceHarness } from '../../test/support/place-conformance.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { startSftpServer } from '../../test/support/sftp-server.ts';
import { startSts } from '../../test/support/sts-server.ts';
import { certificate, certificateKey } from '../../test/support/tls-certificate.ts';
import { guardedLookup, requireCallable } from '../outbound/guarded-lookup.ts';
import { FolderPlace } from './folder/folder-place.ts';
import { FtpPlace } from './ftp/ftp-place.ts';
import type { PlaceGuard } from './place.ts';
import { S3Place } from './s3/s3-place.ts';
import { SftpPlace } from './sftp/sftp-place.ts';
import { walkDirectories } from './walk-directories.ts';

const guardFor = (allowPrivate: boolean): PlaceGuard => ({
  lookup: guardedLookup(allowPrivate) as PlaceGuard['lookup'],
  requireCallable: (host) => requireCallable(host, allowPrivate),
});
const guard = guardFor(true);
const keys = { accessKeyId: 'test', secretAccessKey: 'test' };

const ftpOptions = ({ port, credential }: FtpServer) =>
  ({ host: '127.0.0.1', port, directory: '/', tls: 'none', credential, moveTo: 'taken' }) as const;

/** A directory behind a server; files get different times, as they would. */
async function directory(): Promise<Pick<PlaceHarness, 'put' | 'remove'> & { root: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'millrace-place-'));
  let minute = 0;
  return {
    root,
    async put(key, content) {
      const file = path.join(root, key);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
      const { utimes } = await import('node:fs/promises');
      minute += 1;
      await utimes(file, new Date(), new Date(Date.now() - 86_400_000 + minute * 60_000));
    },
    remove: (key) => rm(path.join(root, key)),
  };
}

describePlace('a bucket', async () => {
  const server = await startS3Server();
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: keys,
    forcePathStyle: true,
  });
  const { endpoint, bucket } = server;
  const options = { bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' };
  return {
    open: () => new S3Place(options, guard),
    put: async (Key, Body) => void (await client.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body }))),
    remove: async (Key) => void (await client.send(new DeleteObjectCommand({ Bucket: server.bucket, Key }))),
    async deny(key) {
      server.fail({
        method: 'GET',
        url: new RegExp(`/${key}`),
        times: 100,
        act: { status: 403, code: 'AccessDenied' },
      });
    },
    breakOnce: () => server.fail({ method: 'GET', url: /big\.bin/, times: 1, act: 'cut' }),
    async close() {
      client.destroy();
      await server.close();
    },
  };
});

describe('an object of a bucket', () => {
  const opened = async (isVersioned: boolean) => {
    const server = await startS3Server('kept', { isVersioned });
    const { endpoint, bucket } = server;
    const client = new S3Client({ endpoint, region: 'us-east-1', credentials: keys, forcePathStyle: true });
    const place = new S3Place({ bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' }, guard);
    const put = (Key: string, Body: Buffer | string) =>
      client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    onTestFinished(async () => {
      client.destroy();
      await place.close();
      await server.close();
    });
    return { server, client, place, put };
  };
  const never = new AbortController().signal;

  /** Reads an object that is replaced after its first bytes, by a download that breaks off. */
  const readReplaced = async (isVersioned: boolean) => {
    const { server, place, put } = await opened(isVersioned);
    await put('big.bin', Buffer.alloc(2_000_000, 'old '));
    const object = await place.look('big.bin', never);
    if (object === undefined) throw new Error('it is not there');
    server.fail({ method: 'GET', url: /big\.bin/, times: 1, act: 'cut' });
    const versions: string[] = [];
    const chunks: Uint8Array[] = [];
    for await (const chunk of place.read(object, never, (id) => versions.push(id))) {
      if (chunks.length === 0) await put('big.bin', Buffer.alloc(2_000_000, 'new '));
      chunks.push(chunk);
    }
    return { content: Buffer.concat(chunks), versions };
  };

  it('of a bucket that keeps versions is read to its end, and says which version it is', async () => {
    const { content, versions } = await readReplaced(true);
    expect(content.equals(Buffer.alloc(2_000_000, 'old '))).toBe(true);
    expect(versions).toEqual(['v1', 'v1']);
  });

  it('of a bucket that keeps none is not given half old, half new', async () => {
    await expect(readReplaced(false)).rejects.toMatchObject({ code: 'source_file_changing' });
  });

  it('keeps its tags when it is tagged as taken, and stays where the one that was taken is moved', async () => {
    const { server, client, place, put } = await opened(false);
    await put('a.csv', 'a');
    const Tagging = { TagSet: [{ Key: 'team', Value: 'legal' }] };
    await client.send(new PutObjectTaggingCommand({ Bucket: server.bucket, Key: 'a.csv', Tagging }));
    const object = await place.look('a.csv', never);
    if (object === undefined) throw new Error('it is not there');
    for (const _ of [1, 2]) await place.putAway(object, 'tag', never);
    expect(server.tagsOf('a.csv')).toEqual({ team: 'legal', millrace: 'taken' });
    await put('a.csv', 'newer');
    await place.putAway(object, 'move', never).catch(() => undefined);
    expect((await place.look('a.csv', never))?.bytes).toBe(5);
  });
});

describePlace('an SFTP server', async () => {
  const { root, ...files } = await directory();
  const server = await startSftpServer(root);
  return {
    ...files,
    open: () =>
      new SftpPlace(
        { host: '127.0.0.1', port: server.port, directory: '.', credential: server.credential, moveTo: 'taken' },
        guard,
      ),
    deny: async (key) => void server.denied.add(path.basename(key)),
    breakOnce: () => server.cut(1),
    async close() {
      await server.close();
      await rm(root, { recursive: true });
    },
  };
});

describePlace('an FTP server over TLS', async () => {
  const { root, ...files } = await directory();
  const server = await startFtpServer(root, { tls: { key: certificateKey, cert: certificate } });
  const options = { ...ftpOptions(server), tls: 'explicit', certificate } as const;
  return {
    ...files,
    open: () => new FtpPlace(options, guard),
    deny: async (key) => void server.denied.add(path.basename(key)),
    breakOnce: () => server.cut(1),
    async close() {
      await server.close();
      await rm(root, { recursive: true });
    },
  };
});

for (const withoutMlsd of [false, true])
  describePlace(withoutMlsd ? 'an FTP server without MLSD and MDTM' : 'an FTP server', async () => {
    const { root, ...files } = await directory();
    const server = await startFtpServer(root, { withoutMlsd });
    return {
      ...files,
      open: () => new FtpPlace(ftpOptions(server), guard),
      deny: async (key) => void server.denied.add(path.basename(key)),
      breakOnce: () => server.cut(1),
      async close() {
        await server.close();
        await rm(root, { recursive: true });
      },
    };
  });

describePlace('a folder', async () => {
  const { root, ...files } = await directory();
  return {
    ...files,
    open: () => new FolderPlace({ directory: root, name: 'test', moveTo: 'taken' }),
    ...(process.getuid?.() === 0 ? {} : { deny: (key: string) => chmod(path.join(root, key), 0) }),
    close: () => rm(root, { recursive: true }),
  };
});

describe('a folder', () => {
  it('lists no links, hidden, half-written or special files, and follows no directory that became a link', async () => {
    const { root, put } = await directory();
    await put('x.csv', 'x');
    await put('x.csv.part', 'half');
    await put('.hidden', 'h');
    await symlink('/etc/passwd', path.join(root, 'passwd.csv'));
    await symlink('/etc', path.join(root, 'etc'));
    const place = new FolderPlace({ directory: root, name: 'test' });
    expect((await listAll(place)).map(({ key }) => key)).toEqual(['x.csv']);
    const outside = { key: 'etc/passwd', bytes: 1, modifiedAt: null, mark: '' };
    await expect(place.look(outside.key)).rejects.toMatchObject({ code: 'source_object_denied' });
    await rm(root, { recursive: true });
  });

  it('moves nothing out of itself, neither by ".." nor through a link, and hides no directory unless files are moved there', async () => {
    const { root, put } = await directory();
    const away = await mkdtemp(path.join(tmpdir(), 'millrace-away-'));
    onTestFinished(async () => {
      for (const each of [root, away]) await rm(each, { recursive: true });
    });
    await put('x.csv', 'x');
    await put('taken/y.csv', 'y');
    await symlink(away, path.join(root, 'link'));
    const keys = async (moveTo?: string) =>
      (await listAll(new FolderPlace({ directory: root, name: 'test', moveTo }))).map(({ key }) => key);
    expect(await keys()).toEqual(['taken/y.csv', 'x.csv']);
    expect(await keys('taken')).toEqual(['x.csv']);
    for (const moveTo of ['link', 'link/deeper', `../${path.basename(away)}`]) {
      const place = new FolderPlace({ directory: root, name: 'test', moveTo });
      const object = await place.look('x.csv');
      if (object === undefined) throw new Error('it is not there');
      await expect(place.putAway(object, 'move')).rejects.toMatchObject({ code: 'source_object_denied' });
    }
    expect(await readdir(away)).toEqual([]);
    expect(await keys('taken')).toEqual(['x.csv']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'with a directory that may not be read, or not be entered, tells it and lists what lies beside it',
    async () => {
      const { root, put } = await directory();
      for (const key of ['a/1.csv', 'b/2.csv', 'c.csv']) await put(key, key);
      await chmod(root, 0o755);
      const place = new FolderPlace({ directory: root, name: 'test' });
      const nobody = 65_534;
      onTestFinished(async () => {
        process.seteuid?.(0);
        await rm(root, { recursive: true });
      });
      for (const mode of [0o700, 0o744]) {
        await chmod(path.join(root, 'a'), mode);
        process.seteuid?.(nobody);
        const found = (await listAll(place)).map(({ key, fault }) => [key, fault?.code]);
        await expect(place.look('a/1.csv')).rejects.toMatchObject({ code: 'source_object_denied' });
        process.seteuid?.(0);
        expect(found).toEqual([
          ['a/', 'source_directory_shut'],
          ['b/2.csv', undefined],
          ['c.csv', undefined],
        ]);
      }
    },
  );

  it('that is gone proves no absence', async () => {
    const place = new FolderPlace({ directory: '/nowhere/at/all', name: 'test' });
    await expect(listAll(place)).rejects.toMatchObject({ code: 'source_place_gone' });
  });
});

describe('a directory of an SFTP server', () => {
  it('that may not be read, or not be entered, is told, and what lies beside it is listed', async () => {
    const { root, put } = await directory();
    for (const key of ['a/1.csv', 'b/2.csv', 'c.csv']) await put(key, key);
    const server = await startSftpServer(root);
    const { port, credential } = server;
    const place = new SftpPlace({ host: '127.0.0.1', port, directory: '.', credential }, guard);
    onTestFinished(async () => {
      await place.close();
      await server.close();
      await rm(root, { recursive: true });
    });
    const listed = async () => (await listAll(place)).map(({ key, fault }) => [key, fault?.code]);
    for (const closed of [server.shut, server.blind]) {
      closed.add('a');
      expect(await listed()).toEqual([
        ['a/', 'source_directory_shut'],
        ['b/2.csv', undefined],
        ['c.csv', undefined],
      ]);
      closed.clear();
    }
    expect(await listed()).toHaveLength(3);
    server.blind.add('a');
    await expect(place.look('a/1.csv')).rejects.toMatchObject({ code: 'source_object_denied' });
  });
});

describe('an SFTP server', () => {
  it('is told nothing when its host key is not the pinned one', async () => {
    const { root } = await directory();
    const server = await startSftpServer(root);
    const options = { host: '127.0.0.1', port: server.port, directory: '.', credential: server.credential };
    const first = new SftpPlace(options, guard);
    await listAll(first);
    expect(first.hostKey).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    await first.close();
    const pinned = new SftpPlace({ ...options, hostKey: first.hostKey }, guard);
    expect(await listAll(pinned)).toEqual([]);
    await pinned.close();
    const other = new SftpPlace({ ...options, hostKey: `SHA256:${'A'.repeat(43)}` }, guard);
    await expect(listAll(other)).rejects.toMatchObject({ code: 'source_host_key_changed' });
    await other.close();
    const wrong = new SftpPlace({ ...options, credential: { username: 'mill', password: 'no' } }, guard);
    await expect(listAll(wrong)).rejects.toMatchObject({ code: 'source_denied' });
    await wrong.close();
    await server.close();
    await rm(root, { recursive: true });
  });
});

describe('an address that may not be called', () => {
  it('is refused for every kind before anything is sent', async () => {
    const closed = guardFor(false);
    const server = await startS3Server();
    const place = () =>
      new S3Place({ bucket: 'b', region: 'us-east-1', endpoint: server.endpoint, credentials: keys }, closed);
    expect(place).toThrow(expect.objectContaining({ code: 'outbound_address_refused' }));
    expect(() => new SftpPlace({ host: '127.0.0.1', port: 22, directory: '.' }, closed)).toThrow(/127\.0\.0\.1/);
    expect(() => new FtpPlace({ host: '10.0.0.1', port: 21, directory: '/', tls: 'none' }, closed)).toThrow(
      /10\.0\.0\.1/,
    );
    const byName = new S3Place(
      {
        bucket: 'b',
        region: 'us-east-1',
        endpoint: server.endpoint.replace('127.0.0.1', 'localhost'),
        credentials: keys,
      },
      closed,
    );
    await expect(listAll(byName)).rejects.toMatchObject({ code: 'outbound_address_refused' });
    await byName.close();
    expect(server.requests).toEqual([]);
    await server.close();
    const { root } = await directory();
    const [sftp, ftp] = [await startSftpServer(root), await startFtpServer(root)];
    for (const named of [
      new SftpPlace({ host: 'localhost', port: sftp.port, directory: '.', credential: sftp.credential }, closed),
      new FtpPlace({ ...ftpOptions(ftp), host: 'localhost' }, closed),
    ]) {
      await expect(listAll(named)).rejects.toMatchObject({ code: 'outbound_address_refused' });
      await named.close();
    }
    expect(sftp.signIns).toEqual([]);
    await sftp.close();
    await ftp.close();
    await rm(root, { recursive: true });
  });
});

describe('an object that is replaced', () => {
  it('that sends us elsewhere is not followed', async () => {
    const { server, place } = await opened();
    const other = await startS3Server();
    server.fail({ method: 'GET', url: /list-type/, times: 100, act: { location: `${other.endpoint}/stolen` } });
    await expect(listAll(place)).rejects.toMatchObject({ code: 'source_place_gone' });
    expect(other.requests).toEqual([]);
    await place.close();
    await server.close();
    await other.close();
  });

  const opened = async () => {
    const server = await startS3Server();
    const { endpoint, bucket } = server;
    const options = { bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' };
    return { server, place: new S3Place(options, guard) };
  };

  it.each([
    [403, 'AccessDenied', 'source_denied'],
    [403, 'InvalidAccessKeyId', 'source_denied'],
    [403, 'RequestTimeTooSkewed', 'source_clock_skewed'],
    [404, 'NoSuchBucket', 'source_place_gone'],
    [503, 'SlowDown', 'source_throttled'],
    [500, 'InternalError', 'source_unreachable'],
  ])('that answers %i %s is told as %s', async (status, code, ours) => {
    const { server, place } = await opened();
    server.fail({ method: 'GET', url: /list-type/, times: 100, act: { status, code } });
    await expect(listAll(place)).rejects.toMatchObject({ code: ours });
    await place.close();
    await server.close();
  });
});

describe('a role', () => {
  it('is taken on with the keys of the source, and the bucket is read with what it gave', async () => {
    const server = await startS3Server();
    const sts = await startSts({
      accessKeyId: 'ASIATEMPORARY',
      secretAccessKey: 'temporary',
      sessionToken: 'of-the-role',
    });
    const before = process.env.AWS_ENDPOINT_URL_STS;
    process.env.AWS_ENDPOINT_URL_STS = sts.endpoint;
    try {
      const role = { roleArn: 'arn:aws:iam::123456789012:role/reader', externalId: 'mill-7' };
      const { endpoint, bucket } = server;
      const options = { bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' };
      const place = new S3Place({ ...options, ...role }, guard);
      expect(await listAll(place)).toEqual([]);
      await place.close();
      expect(sts.asked).toEqual([
        expect.objectContaining({
          ...role,
          action: 'AssumeRole',
          signedBy: expect.stringContaining('Credential=test/'),
        }),
      ]);
      expect(server.headers.at(-1)).toMatchObject({
        authorization: expect.stringContaining('Credential=ASIATEMPORARY/'),
        'x-amz-security-token': 'of-the-role',
      });
      sts.refuse();
      const refused = new S3Place({ ...options, ...role }, guard);
      const message = expect.stringContaining('the role cannot be assumed');
      await expect(listAll(refused)).rejects.toMatchObject({ code: 'source_denied', message });
      await refused.close();
    } finally {
      if (before === undefined) delete process.env.AWS_ENDPOINT_URL_STS;
      else process.env.AWS_ENDPOINT_URL_STS = before;
      await sts.close();
      await server.close();
    }
  });
});

describe('an FTP server over TLS', () => {
  it('whose certificate nobody vouches for is told nothing', async () => {
    const { root } = await directory();
    const server = await startFtpServer(root, { tls: { key: certificateKey, cert: certificate } });
    const place = new FtpPlace({ ...ftpOptions(server), tls: 'explicit' }, guard);
    await expect(listAll(place)).rejects.toMatchObject({ code: 'source_certificate_refused' });
    await place.close();
    await server.close();
    await rm(root, { recursive: true });
  });

  it('that shows a certificate of another name is told nothing, although somebody vouches for it', async () => {
    const { root } = await directory();
    const server = await startFtpServer(root, { tls: { key: certificateKey, cert: certificate } });
    // Another spelling of the address it listens on, and no name of the certificate.
    const place = new FtpPlace({ ...ftpOptions(server), host: '127.1', tls: 'explicit', certificate }, guard);
    await expect(listAll(place)).rejects.toMatchObject({ code: 'source_certificate_refused' });
    await place.close();
    await server.close();
    await rm(root, { recursive: true });
  });

  it('that has none says so, and no password is sent', async () => {
    const { root } = await directory();
    const server = await startFtpServer(root);
    const place = new FtpPlace({ ...ftpOptions(server), tls: 'explicit' }, guard);
    await expect(listAll(place)).rejects.toThrow(/the server offers no TLS/);
    await place.close();
    await server.close();
    await rm(root, { recursive: true });
  });
});

describe('a directory of an FTP server', () => {
  it.each([false, true])(
    'that is there and may not be listed is told, and what lies beside it is listed (without MLSD: %s)',
    async (withoutMlsd) => {
      const { root, put } = await directory();
      for (const key of ['a/deep/1.csv', 'a/2.csv', 'b/3.csv']) await put(key, key);
      await mkdir(path.join(root, 'empty'));
      const server = await startFtpServer(root, { withoutMlsd });
      const place = new FtpPlace(ftpOptions(server), guard);
      const keysOf = async () => (await listAll(place)).map(({ key, fault }) => fault?.code ?? key);
      const all = ['a/2.csv', 'a/deep/1.csv', 'b/3.csv'];
      const listed = async () => (await listAll(place)).map(({ key }) => key);
      expect(await keysOf()).toEqual(all);
      server.shut.add('deep');
      expect(await keysOf()).toEqual(['a/2.csv', 'source_directory_shut', 'b/3.csv']);
      expect(await listed()).toEqual(['a/2.csv', 'a/deep/', 'b/3.csv']);
      server.shut.clear();
      server.shut.add('b');
      expect(await keysOf()).toEqual(['a/2.csv', 'a/deep/1.csv', 'source_directory_shut']);
      server.shut.clear();
      expect(await keysOf()).toEqual(all);
      expect(await place.look('nowhere/x.csv')).toBeUndefined();
      const elsewhere = new FtpPlace({ ...ftpOptions(server), directory: '/nowhere' }, guard);
      await expect(listAll(elsewhere)).rejects.toMatchObject({ code: 'source_place_gone' });
      await elsewhere.close();
      await place.close();
      await server.close();
      await rm(root, { recursive: true });
    },
  );

  it.each([false, true])(
    'that may not be listed says of none of its files that it is gone (without MLSD: %s)',
    async (withoutMlsd) => {
      const { root, put } = await directory();
      await put('in/x.csv', 'x');
      const server = await startFtpServer(root, { withoutMlsd });
      server.shut.add('in');
      // A file is asked for by itself only once a server has shown that it answers so.
      const place = new FtpPlace(ftpOptions(server), guard);
      await expect(place.look('in/x.csv')).rejects.toMatchObject({ code: 'source_object_denied' });
      await place.close();
      await server.close();
      await rm(root, { recursive: true });
    },
  );
});

describe('a download of an FTP server that broke off', () => {
  it('goes on behind the bytes that have arrived, on a new connection', async () => {
    const { root, put } = await directory();
    const content = Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => (index * 7) % 251));
    await put('big.bin', content);
    const server = await startFtpServer(root);
    const place = new FtpPlace(ftpOptions(server), guard);
    onTestFinished(async () => {
      await place.close();
      await server.close();
      await rm(root, { recursive: true });
    });
    const [object] = await listAll(place);
    if (object === undefined) throw new Error('it is not there');
    server.cut(2);
    expect((await contentOf(place, object)).equals(content)).toBe(true);
    const [first, ...others] = server.starts;
    expect(first).toBe(0);
    expect(others.length).toBe(2);
    expect(others.every((start, index) => start > (server.starts[index] ?? 0))).toBe(true);
  });
});

describe('one file of an FTP server', () => {
  it.each([false, true])(
    'is read and looked at without a listing of its directory for each (without MLST: %s)',
    async (withoutMlsd) => {
      const { root, put, remove } = await directory();
      const keys = ['in/a b.csv', 'in/c.csv', 'in/d.csv', 'in/e.csv'];
      for (const key of keys) await put(key, `of ${key}`);
      let listings = 0;
      const onList = () => {
        listings += 1;
      };
      const server = await startFtpServer(root, { withoutMlsd, onList });
      const place = new FtpPlace(ftpOptions(server), guard);
      try {
        const listed = await listAll(place);
        const before = listings;
        for (const object of listed) {
          expect(String(await contentOf(place, object))).toBe(`of ${object.key}`);
          expect(await place.look(object.key)).toEqual(object);
        }
        // The first one shows whether the server says of a file what its listing says.
        expect(listings - before).toBe(1);
        await put('in/c.csv', 'something longer');
        const changed = await place.look('in/c.csv');
        expect(changed).toEqual((await listAll(place)).find(({ key }) => key === 'in/c.csv'));
        expect(changed?.bytes).toBe(16);
        await remove('in/d.csv');
        expect(await place.look('in/d.csv')).toBeUndefined();
        expect(await place.look('in')).toBeUndefined();
      } finally {
        await place.close();
        await server.close();
        await rm(root, { recursive: true });
      }
    },
  );
});

describe('names that a server makes up', () => {
  it('that never end are given up: directories in directories without end', async () => {
    const endless = walkDirectories({
      prefix: '',
      after: null,
      signal: new AbortController().signal,
      entries: async () => [{ name: 'again', isDirectory: true, isFile: false, bytes: 0, modifiedAt: null, mark: '' }],
    });
    const all = async () => {
      for await (const _ of endless);
    };
    await expect(all()).rejects.toMatchObject({ code: 'source_listing_unusable' });
  });
});

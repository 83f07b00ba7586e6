// Shutdown in a real process, by real signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { compiledProgram } from '../../test/support/programs.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { silentLog } from './log.ts';
import { createShutdown } from './shutdown.ts';

const program = compiledProgram('test/support/shutdown-child.ts');
let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

function start(behaviour: string) {
  const started = spawn(process.execPath, [program, behaviour], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const words: string[] = [];
  createInterface({ input: started.stdout }).on('line', (line) => words.push(line));
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
  const said = (word: string) => waitFor(() => words.includes(word), { what: `the child to say ${word}` });
  return { process: started, words, ended, said };
}

describe('shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s stops what was started last first, and ends with 0',
    async (signal) => {
      const { process: started, words, ended, said } = start('obeys');
      await said('ready');
      started.kill(signal);
      expect(await ended).toBe(0);
      expect(words).toEqual(['ready', 'server', 'worker', 'database']);
    },
  );

  it('goes on when a step fails, and ends with 1', async () => {
    const { process: started, words, ended, said } = start('fails');
    await said('ready');
    started.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(words).toEqual(['ready', 'server', 'worker', 'database']);
  });

  it('tells a slow step to hurry when the grace is over', async () => {
    const { process: started, words, ended, said } = start('hurries');
    await said('ready');
    started.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(words).toEqual(['ready', 'server', 'worker', 'hurried', 'database']);
  });

  it('leaves a step behind that hangs, and ends with 1', async () => {
    const { process: started, words, ended, said } = start('hangs');
    await said('ready');
    started.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(words).toEqual(['ready', 'server', 'worker', 'database']);
  });

  it('ends at once on a second signal', async () => {
    const { process: started, words, ended, said } = start('hangs');
    await said('ready');
    started.kill('SIGTERM');
    await said('worker');
    started.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(words).not.toContain('database');
  });

  it('stops in order, with 1, after an error that nobody caught', async () => {
    const { words, ended } = start('throws');
    expect(await ended).toBe(1);
    expect(words).toEqual(['ready', 'server', 'worker', 'database']);
  });

  it('ends with 78 when the configuration is at fault, and runs the steps only once', async () => {
    const codes: number[] = [];
    let runs = 0;
    const shutdown = createShutdown({ graceMs: 100, log: silentLog, exit: (code) => void codes.push(code) });
    shutdown.add('step', () => {
      runs += 1;
    });
    await Promise.all([shutdown.fail(new MillraceError('schema_newer')), shutdown.stop('again')]);
    expect(codes).toEqual([78]);
    expect(runs).toBe(1);
    expect(shutdown.stopping.aborted).toBe(true);
  });
});

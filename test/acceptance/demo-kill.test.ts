// The promise on screen, as a newcomer runs it: no set-up, real processes, at its real size.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { root } from './millrace-process.ts';

/** The demo gives itself 55 s; the database starts and stops around that. */
const GIVE_UP_MS = 540_000;

// Everything it makes is in the temporary folder; this one is its alone.
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-demo-test-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('npm run demo:kill kills a worker half way, has another finish its run, verifies the receipt and leaves nothing behind', async () => {
  const { code, lines } = await runDemo();
  const said = (what: string) => lines.filter((line) => line.startsWith(what)).join('\n');

  const killed = /process (\d+) is gone, about ([\d,]+) rows in/.exec(said('kill -9'));
  const rowsIn = Number(killed?.[2]?.replaceAll(',', ''));
  expect([rowsIn >= 10_000, rowsIn < 20_000], said('kill -9')).toEqual([true, true]);
  expect(said('worker A')).toContain(`process ${killed?.[1]} is starting`);
  expect(said('takeover')).toContain('attempt 2 goes on from the last checkpoint');
  expect(said('receipt')).toContain('20,000 = 19,800 inserted + 200 rejected');
  expect(said('history')).toContain('attempt 1 lost, attempt 2 complete');
  expect(said('✔ verified')).toContain('they agree, no row twice');
  expect(code).toBe(0);

  const workers = lines.flatMap((line) => /^worker [AB] +process (\d+) is starting/.exec(line)?.[1] ?? []);
  expect(workers).toHaveLength(2);
  expect(processes().filter(({ pid, command }) => workers.includes(pid) || command.includes(folder))).toEqual([]);
  // The compiler of the scripts keeps a cache of its own there.
  expect(readdirSync(folder).filter((name) => name.startsWith('millrace'))).toEqual([]);
});

async function runDemo(): Promise<{ code: number | null; lines: string[] }> {
  // A group of its own: whatever goes wrong, all of it can be ended.
  const demo = spawn('npm', ['run', '--silent', 'demo:kill'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  });
  let output = '';
  demo.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const overdue = setTimeout(() => process.kill(-(demo.pid ?? 0), 'SIGKILL'), GIVE_UP_MS);
  const [code] = (await once(demo, 'close')) as [number | null];
  clearTimeout(overdue);
  return { code, lines: output.split('\n') };
}

function processes(): { pid: string; command: string }[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.map((line) => ({ pid: line.trim().split(' ')[0] ?? '', command: line }));
}

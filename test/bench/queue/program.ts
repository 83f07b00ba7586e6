// A contender's process, seen from the bench.
import { type ChildProcess, fork } from 'node:child_process';
import { programFile } from '../../support/programs.ts';
import type { ContenderOptions } from './contender.ts';
import type { CurrentPeers } from './current-peers.ts';
import type { Answer, ContenderName, Counts, Order } from './orders.ts';

export class Program {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(answer.error));
    });
    child.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the process ended with ${code}`));
      this.#waiting.clear();
    });
  }

  static async start(
    name: ContenderName,
    ground: ContenderOptions & { current?: CurrentPeers | undefined },
  ): Promise<Program> {
    const { url, adminUrl, redisPort, pipelines, pooledUrl } = ground;
    const current = name === 'pg-boss' || name === 'graphile-worker' ? ground.current : undefined;
    const file = current?.program ?? programFile('test/bench/queue/child.ts');
    const settings = [
      name,
      JSON.stringify({ url, adminUrl, redisPort, pipelines, pooledUrl }),
      current ? 'current' : 'ours',
    ];
    const child = fork(file, settings, {
      execPath: current?.node ?? process.execPath,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Not the loader this process may run under.
      execArgv: [],
    });
    const program = new Program(child);
    await program.ask({ do: 'open' });
    return program;
  }

  ask(order: Order): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, order });
    });
  }

  async counts(): Promise<Counts> {
    const { counts } = await this.ask({ do: 'count' });
    if (!counts) throw new Error('no counts were sent');
    return counts;
  }

  /** Closes what it has open and ends. A contender that does not end by itself is ended. */
  async stop(): Promise<void> {
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.ask({ do: 'close' }).catch(() => {});
    this.#child.disconnect();
    await exited;
    clearTimeout(deadline);
  }
}

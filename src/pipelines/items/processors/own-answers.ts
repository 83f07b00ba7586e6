// What the process of an own processor may ask for while it works on a call: reads under the tenant of the job, and the job's file.
import type { Queryable } from '../../../platform/database.ts';
import { passQuery } from '../sql/pass-query.ts';
import type { Asked } from './own-messages.ts';
import type { ProcessContext } from './processor.ts';

interface OpenRead {
  readonly db: Queryable;
  readonly end: () => void;
}

export class OwnAnswers {
  readonly #context: Pick<ProcessContext<unknown>, 'read' | 'file'>;
  readonly #reads = new Map<number, OpenRead>();
  readonly #streams = new Map<number, AsyncIterator<Uint8Array>>();
  #last = 0;
  /** What went wrong on this side: not the processor's fault, whatever it makes of it. */
  fault: unknown;

  constructor(context: Pick<ProcessContext<unknown>, 'read' | 'file'>) {
    this.#context = context;
  }

  async answer(asked: Asked): Promise<unknown> {
    try {
      return await this.#answer(asked);
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }

  /** The call is over: nothing stays open for it. */
  close(): void {
    for (const { end } of this.#reads.values()) end();
    for (const stream of this.#streams.values()) void stream.return?.();
    this.#reads.clear();
    this.#streams.clear();
  }

  #answer(asked: Asked): Promise<unknown> {
    switch (asked.what) {
      case 'read':
        return this.#openRead();
      case 'query':
        return this.#query(asked.read, asked.query);
      case 'read-end':
        return this.#endRead(asked.read);
      case 'file':
        return this.#file();
      case 'open':
        return this.#open(asked.start, asked.end);
      case 'chunk':
        return this.#chunk(asked.stream);
    }
  }

  #openRead(): Promise<number> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#context
        .read(
          (db) =>
            new Promise<void>((end) => {
              this.#reads.set(id, { db, end });
              resolve(id);
            }),
        )
        .catch(reject)
        .finally(() => this.#reads.delete(id));
    });
  }

  async #query(read: number, given: readonly unknown[]): Promise<unknown> {
    const open = this.#reads.get(read);
    if (open === undefined) throw new Error('this reading has ended');
    return passQuery(open.db, given);
  }

  async #endRead(read: number): Promise<null> {
    this.#reads.get(read)?.end();
    this.#reads.delete(read);
    return null;
  }

  async #file(): Promise<unknown> {
    const found = await this.#context.file();
    return found === undefined ? null : { name: found.name, size: found.source.size };
  }

  async #open(start: number, end: number | undefined): Promise<number> {
    const found = await this.#context.file();
    if (found === undefined) throw new Error('the file is no longer stored');
    this.#last += 1;
    this.#streams.set(this.#last, found.source.open(start, end)[Symbol.asyncIterator]());
    return this.#last;
  }

  async #chunk(stream: number): Promise<Uint8Array | null> {
    const { done, value } = (await this.#streams.get(stream)?.next()) ?? { done: true, value: undefined };
    if (done !== true && value !== undefined) return value;
    this.#streams.delete(stream);
    return null;
  }
}

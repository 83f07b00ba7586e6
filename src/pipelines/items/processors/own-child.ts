// The process of an own processor: loads the module and does what it is told. Whatever the code in it does to its memory, its event loop or
// its process, it does here. It ends with its parent.
import type { ByteSource } from '../../../tabular/byte-source.ts';
import type { Asked, FromOwn, SentWork, ToOwn } from './own-messages.ts';
import type { AnyProcessor, JobFile, Outcome, ProcessContext } from './processor.ts';

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

const waiting = new Map<number, Waiting>();
const running = new Map<number, AbortController>();
let asks = 0;
let processor: Promise<AnyProcessor> = new Promise(() => undefined);

process.on('disconnect', () => process.exit());
process.on('message', (message: ToOwn) => {
  if ('open' in message) open(message.open, message.processor);
  else if ('work' in message) void answer(message.call, message.work);
  else if ('stop' in message) {
    send({ call: message.stop, stopping: true });
    running.get(message.stop)?.abort(new Error('the time of the item is over'));
  } else {
    const asked = waiting.get(message.reply);
    waiting.delete(message.reply);
    if ('fault' in message) asked?.reject(new Error(message.fault));
    else asked?.resolve(message.value);
  }
});

/** A module that does not load is told of by each call. */
function open(specifier: string, name: string): void {
  processor = load(specifier, name);
  const tell = () => send({ ready: true });
  processor.then(tell, tell);
}

async function load(specifier: string, name: string): Promise<AnyProcessor> {
  const module = (await import(specifier)) as { default: AnyProcessor | AnyProcessor[] };
  const found = [module.default].flat().find((each) => each.name === name);
  if (found === undefined) throw new Error(`the module has no processor ${name} any more`);
  return found;
}

async function answer(call: number, work: readonly SentWork[]): Promise<void> {
  const stop = new AbortController();
  running.set(call, stop);
  try {
    send({ call, outcomes: await outcomesOf(await processor, call, work, stop.signal) });
  } catch (error) {
    send({ call, fault: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(call);
  }
}

async function outcomesOf(
  own: AnyProcessor,
  call: number,
  work: readonly SentWork[],
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const full = work.map(({ item, context }, index): { item: SentWork['item']; context: ProcessContext<unknown> } => ({
    item,
    context: {
      ...context,
      signal,
      tell: (told) => send({ call, index, told }),
      read: (reading) => read(call, reading),
      file: () => file(call),
    },
  }));
  if (own.processBatch !== undefined) return own.processBatch(full);
  const [only] = full;
  return only === undefined ? [] : [await own.process(only.item, only.context)];
}

async function read<T>(call: number, work: Parameters<ProcessContext<unknown>['read']>[0]): Promise<T> {
  const id = (await ask(call, { what: 'read' })) as number;
  const query = (...given: unknown[]) => ask(call, { what: 'query', read: id, query: given });
  try {
    return (await work({ query } as never)) as T;
  } finally {
    await ask(call, { what: 'read-end', read: id });
  }
}

async function file(call: number): Promise<JobFile | undefined> {
  const found = (await ask(call, { what: 'file' })) as { name: string; size: number } | null;
  if (found === null) return undefined;
  const source: ByteSource = {
    size: found.size,
    async *open(start, end) {
      const stream = (await ask(call, { what: 'open', start, end })) as number;
      for (;;) {
        const chunk = (await ask(call, { what: 'chunk', stream })) as Uint8Array | null;
        if (chunk === null) return;
        yield chunk;
      }
    },
  };
  return { name: found.name, source };
}

function ask(call: number, asked: Asked): Promise<unknown> {
  asks += 1;
  const id = asks;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ call, ask: id, asked });
  });
}

function send(message: FromOwn): void {
  process.send?.(message);
}

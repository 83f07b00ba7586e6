import { describe, expect, it } from 'vitest';
import { silentLog } from '../platform/log.ts';
import { type ContextSource, createContext } from './execution-context.ts';
import type { StageContext, StageRun } from './stage-context.ts';

const run = { id: 'r', attempt: 1 } as StageRun;

function givenContext() {
  const told: unknown[] = [];
  const made: string[] = [];
  const source: ContextSource = {
    run,
    part: { index: 0, of: 1 },
    log: silentLog,
    readInput() {
      made.push('input');
      return { file: 'a.csv' };
    },
    signal() {
      made.push('signal');
      return new AbortController().signal;
    },
    readCheckpoint: async (part) => ({ part }),
    readAnswers: async () => [],
    commit: async <T>(_: unknown, options: unknown) => options as T,
    noteProgress: (progress) => void told.push(progress),
    refuse: (record) => void told.push(record),
    decide: (decision) => void told.push(decision),
  };
  return { context: createContext(source), told, made };
}

const takings: Readonly<Record<string, (context: StageContext) => StageContext>> = {
  'as it is': (context) => context,
  copied: (context) => ({ ...context }),
  'as the prototype of another': (context) => Object.create(context) as StageContext,
};

describe("a stage's context", () => {
  it('makes its input and its signal only when they are asked for', () => {
    const { context, made } = givenContext();
    expect(context.run).toBe(run);
    expect(made).toEqual([]);
    expect(context.input).toEqual({ file: 'a.csv' });
    expect(made).toEqual(['input']);
  });

  it.each(Object.entries(takings))('can be taken apart %s', async (_, take) => {
    const { context, told } = givenContext();
    const { input, signal, log, checkpoint, commit, progress, reject, decide, ...rest } = take(context);
    expect({ input, log, run: take(context).run }).toEqual({ input: { file: 'a.csv' }, log: silentLog, run });
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(await checkpoint('b')).toEqual({ part: 'b' });
    expect(await checkpoint()).toEqual({ part: '' });
    expect(await commit(async () => {})).toEqual({});
    expect(await commit(async () => {}, { checkpoint: 1 })).toEqual({ checkpoint: 1 });
    const reject1 = { code: 'bad', line: 1 } as unknown as Parameters<typeof reject>[0];
    const decision = { name: 'rows', from: 1, to: 2, reason: 'fast' } as unknown as Parameters<typeof decide>[0];
    progress({ done: 1 });
    reject(reject1);
    decide(decision);
    expect(told).toEqual([{ done: 1 }, reject1, decision]);
    expect(Object.keys(rest)).not.toContain('readInput');
  });

  it('shows nothing of the engine behind it, and cannot be written to', () => {
    const { context } = givenContext();
    expect(Object.keys(context).sort()).toEqual(
      [
        'run',
        'input',
        'signal',
        'log',
        'part',
        'checkpoint',
        'answers',
        'commit',
        'progress',
        'reject',
        'decide',
      ].sort(),
    );
    expect('refuse' in context).toBe(false);
    expect((context as unknown as ContextSource).refuse).toBeUndefined();
    expect(() => Object.assign(context, { input: 1 })).toThrow(TypeError);
  });
});

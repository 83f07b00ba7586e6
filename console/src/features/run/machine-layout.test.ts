import { describe, expect, it } from 'vitest';
import { layoutMachine, nodeHeight, nodeWidth } from './machine-layout.ts';

const ads = {
  version: 1,
  initial: 'pending',
  states: [
    { name: 'pending', phase: 'waiting', stage: 'parse', on: { claim: 'processing', fail: 'failed' } },
    {
      name: 'processing',
      phase: 'active',
      stage: 'parse',
      on: { pass: 'staging_complete', fail: 'failed', release: 'pending' },
    },
    { name: 'staging_complete', phase: 'waiting', stage: 'promote', on: { claim: 'promoting', fail: 'failed' } },
    {
      name: 'promoting',
      phase: 'active',
      stage: 'promote',
      on: { complete: 'completed', part: 'partial', fail: 'failed', release: 'staging_complete' },
    },
    { name: 'completed', phase: 'done', stage: null, on: {} },
    { name: 'partial', phase: 'done', stage: null, on: {} },
    { name: 'failed', phase: 'failed', stage: null, on: {} },
  ],
} as const;

const drawing = layoutMachine(ads as unknown as Parameters<typeof layoutMachine>[0]);
const state = (name: string) => drawing.states.find((each) => each.name === name);

describe('the drawing of a machine', () => {
  it('puts live states in one line in the order work takes them', () => {
    const line = drawing.states.filter((each) => each.stage !== null);
    expect([...line].sort((a, b) => a.x - b.x).map((each) => each.name)).toEqual([
      'pending',
      'processing',
      'staging_complete',
      'promoting',
    ]);
    expect(new Set(line.map((each) => each.y)).size).toBe(1);
  });

  it('stacks the ends at the right, good above bad', () => {
    expect(state('completed')?.x).toBe(state('failed')?.x);
    expect(state('completed')!.y).toBeLessThan(state('partial')!.y);
    expect(state('partial')!.y).toBeLessThan(state('failed')!.y);
    expect(state('completed')!.x).toBeGreaterThan(state('promoting')!.x);
  });

  it('draws every arrow once and tells the ones that lead back', () => {
    expect(drawing.arrows).toHaveLength(11);
    expect(drawing.arrows.filter((arrow) => arrow.kind === 'back').map((arrow) => arrow.events)).toEqual([
      'release',
      'release',
    ]);
  });

  it('lets no two states overlap and keeps all within the picture', () => {
    const overlaps = drawing.states.flatMap((a) =>
      drawing.states.filter((b) => a !== b && Math.abs(a.x - b.x) < nodeWidth && Math.abs(a.y - b.y) < nodeHeight),
    );
    expect(overlaps).toEqual([]);
    for (const each of drawing.states) {
      expect(each.x + nodeWidth).toBeLessThanOrEqual(drawing.width);
      expect(each.y + nodeHeight).toBeLessThanOrEqual(drawing.height);
      expect(each.y).toBeGreaterThanOrEqual(0);
    }
  });

  it('survives a machine that loops and one the start does not reach', () => {
    const odd = layoutMachine({
      version: 1,
      initial: 'a',
      states: [
        { name: 'a', phase: 'waiting', stage: 's', on: { claim: 'b', fail: 'x' } },
        { name: 'b', phase: 'active', stage: 's', on: { release: 'a', retry: 'c', fail: 'x' } },
        { name: 'c', phase: 'waiting', stage: 's', on: { claim: 'b', fail: 'x' } },
        { name: 'lonely', phase: 'waiting', stage: 's', on: { claim: 'b', fail: 'x' } },
        { name: 'x', phase: 'dead', stage: null, on: {} },
      ],
    });
    expect(odd.states).toHaveLength(5);
    expect(odd.arrows.every((arrow) => !arrow.path.includes('NaN'))).toBe(true);
  });
});

// Which rules are broken: defaults for all, a tenant's own in their place, each pipeline by itself.
import { describe, expect, it } from 'vitest';
import { findBreaches } from './breaches.ts';
import type { Measured } from './metrics.ts';
import type { ThresholdRule } from './sql/read-rules.ts';

const rule = (fields: Partial<ThresholdRule> = {}): ThresholdRule => ({
  tenant_id: null,
  name: 'backlog',
  kind: 'threshold',
  metric: 'backlog',
  comparison: '>',
  threshold: 100,
  pipeline: null,
  window_minutes: null,
  severity: 'WARNING',
  enabled: true,
  ...fields,
});
const figure = (tenantId: string | null, pipeline: string | null, value: number): Measured => ({
  tenantId,
  pipeline,
  value,
});
const found = (rules: ThresholdRule[], figures: Measured[]) =>
  findBreaches(rules, () => figures).map(({ tenantId, subject, value }) => `${tenantId} ${subject} ${value}`);

describe('breaches', () => {
  it('a threshold is broken beyond it, not at it', () => {
    expect(found([rule()], [figure('a', 'ads', 100), figure('b', 'ads', 101)])).toEqual(['b ads 101']);
    expect(found([rule({ comparison: '>=' })], [figure('a', 'ads', 100)])).toEqual(['a ads 100']);
  });

  it('each pipeline counts by itself, and a rule may be about one only', () => {
    const figures = [figure('a', 'ads', 200), figure('a', 'judgments', 300)];
    expect(found([rule()], figures)).toEqual(['a ads 200', 'a judgments 300']);
    expect(found([rule({ pipeline: 'ads' })], figures)).toEqual(['a ads 200']);
  });

  it('a tenant’s own rule takes the place of the default, also one that is switched off', () => {
    const figures = [figure('a', 'ads', 150), figure('b', 'ads', 150)];
    expect(found([rule(), rule({ tenant_id: 'a', threshold: 200 })], figures)).toEqual(['b ads 150']);
    expect(found([rule(), rule({ tenant_id: 'a', enabled: false })], figures)).toEqual(['b ads 150']);
    expect(found([rule(), rule({ tenant_id: 'a', threshold: 10 })], figures)).toEqual(['b ads 150', 'a ads 150']);
  });

  it('"fewer than" is broken by a pipeline in which nothing happens, for the tenant that asked', () => {
    const quiet = rule({ tenant_id: 'a', metric: 'queued_runs', comparison: '<', threshold: 1, pipeline: 'ads' });
    expect(found([quiet], [figure('b', 'ads', 3)])).toEqual(['a ads 0']);
    expect(found([quiet], [figure('a', 'ads', 3)])).toEqual([]);
    expect(found([{ ...quiet, metric: 'avg_processing_s' }], [])).toEqual([]);
  });

  it('a figure of the whole installation is told to the tenant that asked', () => {
    const workers = rule({ tenant_id: 'a', metric: 'workers_alive', comparison: '<', threshold: 1 });
    expect(found([workers], [figure(null, null, 0)])).toEqual(['a all 0']);
    expect(found([{ ...workers, tenant_id: null }], [figure(null, null, 0)])).toEqual([]);
  });
});

// Status and problem type to code, kind and wait.
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../contract/errors/catalogue.ts';
import { durationSeconds, isNewer } from './answers.ts';
import { codeFor } from './error-table.ts';
import { parseExactJson } from './exact-json.ts';

const kindFor = (status: number, type: string) => entryOf(codeFor(status, type)).kind;

describe('the error table', () => {
  it.each([
    [401, 'invalid-api-key', 'auth'],
    [403, 'forbidden', 'auth'],
    [404, 'resource-not-found', 'config'],
    [409, 'try-again-later', 'conflict'],
    [409, 'state-conflict', 'conflict'],
    [422, 'unprocessable-entity', 'config'],
    [400, 'bad-request', 'config'],
    [429, '', 'rate_limited'],
    [500, 'unexpected-problem', 'transient'],
    [502, '', 'transient'],
    [503, '', 'transient'],
    [302, '', 'transient'],
  ])('%i %s is %s', (status, type, kind) => {
    expect(kindFor(status, type)).toBe(kind);
    expect(kindFor(status, `https://reference.airbyte.com/reference/errors#${type}`)).toBe(kind);
  });

  it('a connector may map a status to another kind, and nothing but a kind', () => {
    expect(codeFor(403, 'forbidden', { 403: 'rate_limited' })).toBe('airbyte_rate_limited');
    expect(codeFor(403, 'forbidden', { 403: 'nonsense' })).toBe('airbyte_forbidden');
  });
});

describe('exact JSON', () => {
  it('keeps every digit of an int64 and leaves text and other numbers alone', () => {
    const text =
      '{"jobId":9223372036854775807,"rows":12,"note":"id 9223372036854775807 \\"1234567890123456789\\"","x":1.5e3}';
    expect(parseExactJson(text)).toEqual({
      jobId: '9223372036854775807',
      rows: 12,
      note: 'id 9223372036854775807 "1234567890123456789"',
      x: 1_500,
    });
  });

  it('ids are compared as numbers of any size', () => {
    expect(isNewer('9007199254740993', '9007199254740992')).toBe(true);
    expect(isNewer('10', '9')).toBe(true);
    expect(isNewer('9', '9')).toBe(false);
  });
});

it.each([
  ['PT1H2M3S', 3_723],
  ['PT8M', 480],
  ['P1DT1S', 86_401],
  ['PT0.5S', 0.5],
  ['soon', null],
  [null, null],
])('duration %s is %s seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds);
});

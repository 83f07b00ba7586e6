import { describe, expect, it } from 'vitest';
import type { Source } from './list-sources.ts';
import { blankDraft, bodyOf, draftOf } from './source-draft.ts';

describe('the draft of a source', () => {
  it('leaves out what nobody typed, and gives numbers as numbers', () => {
    const body = bodyOf({
      ...blankDraft,
      kind: 'sftp',
      name: ' Partner ',
      pipeline: 'ads',
      place: { host: 'files.example.com', port: '2222', directory: '' },
      credential: { username: 'mill', password: 'x', passphrase: '' },
      include: '*.csv\n\n  *.xlsx ',
      maxMegabytes: '2.5',
      queueUrl: 'https://sqs.example.com/q',
      cron: '',
    });
    expect(body).toMatchObject({
      name: 'Partner',
      place: { kind: 'sftp', host: 'files.example.com', port: 2222 },
      credential: { username: 'mill', password: 'x' },
      include: ['*.csv', '*.xlsx'],
      max_bytes: 2_500_000,
      cron: null,
      queue_url: null,
    });
    expect(body.place).not.toHaveProperty('directory');
  });

  it('says nothing of a credential that is stored and was not typed again', () => {
    const source = {
      kind: 's3',
      name: 'Contracts',
      pipeline: 'documents',
      prefix: '',
      time_zone: 'UTC',
      title_pattern: null,
      cron: null,
      queue_url: null,
      place: { kind: 's3', bucket: 'b', region: 'eu-central-1', path_style: true },
      fields: {},
      include: ['a'],
      exclude: [],
      max_bytes: null,
      stale_after_seconds: 7_200,
      settle_seconds: 0,
      jitter_seconds: 0,
    } as unknown as Source;
    const body = bodyOf(draftOf(source));
    expect(body.credential).toBeNull();
    expect(body.place).toEqual({ kind: 's3', bucket: 'b', region: 'eu-central-1', path_style: true });
    expect(body.stale_after_seconds).toBe(7_200);
  });
});

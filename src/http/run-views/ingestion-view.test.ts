// The face of a run for clients of the document specification: which word stands for what, and what is said of the upload.
import { describe, expect, it } from 'vitest';
import { buildRunRow } from '../../../test/support/run-row.ts';
import { IngestionRun } from '../../contract/api/ingestion-runs.ts';
import type { ShownRun } from '../../engine/reads/run-columns.ts';
import { phasesOf, viewIngestionRun } from './ingestion-view.ts';

const at = new Date('2026-02-15T12:00:07Z');
const view = (given: Partial<ShownRun>) =>
  viewIngestionRun(buildRunRow(given), given.pipeline === 'syncs' ? 'airbyte' : undefined);
const other = '0190a7a0-0000-7000-8000-000000000002';

describe('the four statuses', () => {
  it.each([
    ['a run that waits is queued', { phase: 'waiting' }, { status: 'queued', error: null, held: false }],
    [
      'a held run is queued and says so',
      { phase: 'waiting', held_at: at, held_by: 'x' },
      { status: 'queued', held: true },
    ],
    [
      'a run that waits for its next try has not failed',
      { phase: 'waiting', error_code: 'airbyte_unavailable', error_text: 'Airbyte is away.' },
      { status: 'queued', error: null, error_code: null },
    ],
    ['an active run is running', { phase: 'active', started_at: at }, { status: 'running' }],
    ['a partial run has succeeded', { phase: 'done', status: 'partial', finished_at: at }, { status: 'succeeded' }],
    [
      'a cancelled run has failed, and the error says that it was cancelled',
      { phase: 'failed', error_code: 'run_cancelled', error_text: 'Run x was cancelled by y.' },
      { status: 'failed', error: 'Run x was cancelled by y.', error_code: 'run_cancelled' },
    ],
    [
      'a dead letter has failed',
      { phase: 'dead', error_code: 'airbyte_unauthorized', error_text: 'Refused.' },
      { status: 'failed', error: 'Refused.' },
    ],
  ] as [string, Partial<ShownRun>, object][])('%s', (_, given, expected) => {
    expect(view(given)).toMatchObject(expected);
  });

  it('each phase is found by exactly the status it is shown as', () => {
    for (const phase of ['waiting', 'active', 'done', 'failed', 'dead'] as const)
      expect(phasesOf([view({ phase }).status])).toContain(phase);
    expect(phasesOf(['queued', 'running', 'succeeded', 'failed'])).toHaveLength(5);
    expect(phasesOf(['failed'])).toEqual(['failed', 'dead']);
  });
});

describe('how it came to be', () => {
  it.each([
    ['a file by hand', { blob_id: other, input: {} }, 'manual_upload', 'upload'],
    [
      'a file by hand, as the ads intake notes it',
      { blob_id: other, input: { source: 'manual' } },
      'manual_upload',
      'upload',
    ],
    ['rows through the API', { blob_id: other, input: { source: 'api' } }, 'api', 'api'],
    ['a webhook', { blob_id: other, input: { source: 'webhook' } }, 'webhook', 'webhook'],
    [
      'a watched folder',
      { blob_id: other, source_id: 'folder:/srv/in', input: { source: 'manual' } },
      'folder',
      'folder',
    ],
    ['a bucket', { blob_id: other, source_id: 's3:bucket' }, 's3_sync', 's3'],
    ['a sync by hand', { pipeline: 'syncs', source_id: 'airbyte' }, 'airbyte_sync', 'airbyte'],
    ['a sync on schedule', { pipeline: 'syncs', source_id: 'schedule:sync:1' }, 'schedule', 'airbyte'],
    ['any schedule', { source_id: 'schedule:nightly' }, 'schedule', 'schedule'],
    ['a program without a file', { input: {} }, 'api', 'api'],
    ['a source of one’s own', { source_id: 'ftp:host' }, 'source', 'source'],
    ['a source with an unlucky name', { source_id: 'constructor' }, 'source', 'source'],
    ['a retry', { blob_id: other, retry_of: other, input: { source: 'api' } }, 'retry', 'api'],
    ['a replay', { blob_id: other, input: { replay_of: other, source: 'manual' } }, 'replay', 'upload'],
  ] as [string, Partial<ShownRun>, string, string][])('%s', (_, given, runType, channel) => {
    expect(view(given)).toMatchObject({ run_type: runType, config: { source_type: channel } });
  });

  it('says nothing of the server: neither the folder nor where the bytes lie', () => {
    const text = JSON.stringify(view({ blob_id: other, source_id: 'folder:/srv/in' }));
    expect(text).not.toMatch(/srv|file:|s3:/);
    expect(text).not.toContain(other);
  });
});

describe('what is told of the upload and the end', () => {
  it('has the shape that was agreed, with the receipt as plain numbers', () => {
    const run = view({
      phase: 'done',
      blob_id: other,
      original_name: 'june.csv',
      file_bytes: 1234,
      file_sha256: 'ab'.repeat(32),
      file_type: 'text/csv',
      created_by_user_id: other,
      input: { title: 'June' },
      receipt: { read: 3, outcomes: { inserted: 2, rejected: 1 }, furniture: 1, totals: {}, airbyte_job_id: '7' },
      started_at: at,
      finished_at: at,
    });
    expect(run).toMatchObject({
      run_type: 'manual_upload',
      config: {
        source_type: 'upload',
        created_by_user_id: other,
        upload_uri: `/v1/uploads/${run.run_id}/original`,
        title: 'June',
        original_filename: 'june.csv',
        content_type: 'text/csv',
        file_size_bytes: 1234,
        content_hash: `sha256:${'ab'.repeat(32)}`,
      },
      stats: { read: 3, inserted: 2, rejected: 1, furniture: 1 },
      error: null,
    });
    expect(run.stats).not.toHaveProperty('airbyte_job_id');
    expect(IngestionRun.parse(run)).toEqual(run);
  });

  it('a run without a file and without an end says null', () => {
    expect(view({})).toMatchObject({
      config: { upload_uri: null, original_filename: null, content_hash: null, file_size_bytes: null },
      stats: null,
      started_at: null,
      finished_at: null,
    });
  });
});

// A run's row as the API reads it, for tests that need no database.
import type { RunRow } from '../../src/http/sql/run-columns.ts';

const at = new Date('2026-02-15T12:00:00Z');

export function buildRunRow(given: Partial<RunRow> = {}): RunRow {
  return {
    id: '0190a7a0-0000-7000-8000-000000000001',
    tenant_id: '0190a7a0-0000-7000-8000-0000000000aa',
    pipeline: 'sheet',
    status: 'pending',
    phase: 'waiting',
    unique_key: null,
    lane: 'lane',
    priority: 0,
    input: {},
    receipt: null,
    attempt: 0,
    wait_reason: null,
    held_at: null,
    held_by: null,
    blob_id: null,
    source_id: null,
    retry_of: null,
    requeued_as: null,
    correlation_id: null,
    error_code: null,
    error_text: null,
    created_at: at,
    started_at: null,
    finished_at: null,
    updated_at: at,
    stage: null,
    source: null,
    original_name: null,
    retried_as: null,
    created_by: null,
    created_by_user_id: null,
    file_bytes: null,
    file_sha256: null,
    file_type: null,
    progress_done: null,
    progress_total: null,
    progress_unit: null,
    progress_at: null,
    claimed_at: null,
    ...given,
  };
}

// Reading and mapping of a job's file, which is known by its run.
import { call } from '../../app/api.ts';
import type { FileReader } from '../kit.ts';

export const jobsReader: FileReader = {
  hasConstants: true,
  reading: (run, signal) => call('runs.reading', { params: paramsOf(run), ...(signal && { signal }) }),
  override: (run, body) => call('runs.override', { params: paramsOf(run), body }),
  mapping: (run, signal) => call('runs.mapping', { params: paramsOf(run), ...(signal && { signal }) }),
  saveMapping: (run, change) => call('runs.map', { params: paramsOf(run), body: { ...change } }),
};

function paramsOf({ run_id }: { readonly run_id: string }) {
  return { run_id };
}

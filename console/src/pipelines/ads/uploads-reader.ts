// Reading and mapping of an upload, which is known by its run.
import { call } from '../../app/api.ts';
import type { FileReader } from '../kit.ts';

export const uploadsReader: FileReader = {
  hasConstants: true,
  canReread: true,
  reading: (run, signal) => call('uploads.reading', { params: paramsOf(run), ...(signal && { signal }) }),
  override: (run, body) => call('uploads.override', { params: paramsOf(run), body }),
  mapping: (run, signal) => call('uploads.mapping', { params: paramsOf(run), ...(signal && { signal }) }),
  saveMapping: (run, change) => call('uploads.map', { params: paramsOf(run), body: { ...change } }),
};

function paramsOf({ run_id }: { readonly run_id: string }) {
  return { upload_id: run_id };
}

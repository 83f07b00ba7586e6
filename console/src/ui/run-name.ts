// What a run is called: its file, or what it does when it has none of its own. Made safe to show.
import type { Run } from '../app/api.ts';
import { inertText } from './inert-text.ts';

export function runName(
  run: Pick<Run, 'run_id' | 'title' | 'source' | 'pipeline'> & { readonly input?: Record<string, unknown> },
): string {
  if (run.source !== 'replay') return inertText(run.title ?? `${run.pipeline} …${run.run_id.slice(-8)}`);
  const of = run.input?.filename;
  return inertText(typeof of === 'string' ? `Replay of ${of}` : 'Replay of corrected rows');
}

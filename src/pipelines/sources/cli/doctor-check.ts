// The doctor's question about sources: is there one whose last sync failed, or whose queue cannot be read?
import type { Finding } from '../../../cli/doctor/finding.ts';
import type { Queryable } from '../../../platform/database.ts';
import { readTroubled } from '../sql/read-troubled.ts';
import type { TroubledSource } from '../sql/watch-sources.ts';

const SHOWN = 10;

export async function checkSources(db: Queryable): Promise<Finding> {
  const check = 'sources';
  const troubled = await readTroubled(db, SHOWN);
  if (troubled.length === 0) return { check, state: 'ok', detail: 'no sync failed last, and every queue can be read' };
  return {
    check,
    state: 'warn',
    detail: troubled.map(describe).join('; '),
    fix: '"millrace sources show SOURCE" says what is wrong; the finding disappears after the next successful sync or message.',
  };
}

function describe({ name, last_error_code: failed, queue_error_code: unheard }: TroubledSource): string {
  const faults = [
    failed === null ? undefined : describeFailed(failed),
    unheard === null ? undefined : `its queue cannot be read (${unheard})`,
  ];
  return `${name}: ${faults.filter((fault) => fault !== undefined).join(', ')}`;
}

function describeFailed(code: string): string {
  return code === 'source_directory_shut'
    ? 'its last sync was not allowed to list a directory'
    : `its last sync failed (${code})`;
}

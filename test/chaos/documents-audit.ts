// What must hold of documents whatever was killed: each acknowledged upload has one end, a document serves at most one version and that of
// its newest observation, no chunk stands without its version, no vector or term of a version that is not served is searched, and what is
// served is whole.
import type { Counts } from './auditor.ts';
import type { Acknowledged } from './documents-observer.ts';
import { type Find, openFindings } from './findings.ts';
import type { Ground } from './ground.ts';

type Asking = Pick<Ground, 'ask'>;

export async function auditDocuments(
  ground: Asking,
  acknowledged: readonly Acknowledged[],
): Promise<{ counts: Counts; findings: string[] }> {
  const { counts, findings, find } = openFindings();
  await judgeRuns(ground, acknowledged, find);
  await judgeServed(ground, acknowledged, find);
  for (const [kind, what, text] of rules) {
    const [row] = await ground.ask<{ n: number }>(text);
    find(kind, row?.n ?? 0, what);
  }
  return { counts, findings };
}

async function judgeRuns(ground: Asking, acknowledged: readonly Acknowledged[], find: Find): Promise<void> {
  const runs = await ground.ask<{ id: string; status: string; phase: string; ends: number; told: number }>(
    `select r.id, r.status, r.phase,
            (select count(*)::int from engine.all_attempts a where a.run_id = r.id and a.outcome = 'complete') as ends,
            (select count(*)::int from engine.all_events e where e.run_id = r.id and e.type = 'run.done') as told
     from engine.all_runs r`,
  );
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const { runId } of acknowledged) {
    if (runId === undefined) continue;
    const run = byId.get(runId);
    if (run === undefined) find('lost', 1, `run ${runId} is gone`);
    else if (run.phase === 'waiting' || run.phase === 'active') find('stuck', 1, `run ${runId} is ${run.status}`);
    else if (run.status !== 'succeeded') find('wrong', 1, `run ${runId} ended ${run.status}`);
    else {
      if (run.ends !== 1) find('duplicated', 1, `run ${runId} has ${run.ends} ends`);
      if (run.told !== 1)
        find(run.told === 0 ? 'lost' : 'duplicated', 1, `run ${runId} told its end ${run.told} times`);
    }
  }
}

/** The last thing that was acknowledged of a document decides what is served. */
async function judgeServed(ground: Asking, acknowledged: readonly Acknowledged[], find: Find): Promise<void> {
  const wanted = new Map(acknowledged.map(({ docId, served }) => [docId, served]));
  const active = await ground.ask<{ doc_id: string; hashes: string[] }>(
    `select doc_id, array_agg(content_hash) as hashes from document_versions where is_active group by doc_id`,
  );
  const served = new Map(active.map(({ doc_id: docId, hashes }) => [docId, hashes]));
  for (const [docId, hash] of wanted) {
    const found = served.get(docId) ?? [];
    if (found.length > 1) find('duplicated', 1, `document ${docId} serves ${found.length} versions`);
    if ((found[0] ?? null) !== hash)
      find('wrong', 1, `document ${docId} serves ${found[0] ?? 'nothing'} instead of ${hash ?? 'nothing'}`);
  }
}

const rules: readonly (readonly [keyof Counts, string, string])[] = [
  [
    'orphans',
    'versions were left half built',
    `select count(*)::int as n from document_versions where ready_at is null`,
  ],
  [
    'orphans',
    'chunks stand without their version',
    `select count(*)::int as n from chunks c
     where not exists (select from document_versions v where v.tenant_id = c.tenant_id and v.doc_version_id = c.doc_version_id)`,
  ],
  [
    'zombieWrites',
    'vectors of versions that are not served are searched',
    `select count(*)::int as n from chunk_embeddings e
     where not exists (select from document_versions v
                       where v.tenant_id = e.tenant_id and v.doc_version_id = e.doc_version_id and v.is_active)`,
  ],
  [
    'zombieWrites',
    'terms of versions that are not served are searched',
    `select count(*)::int as n from chunk_terms t
     where not exists (select from document_versions v
                       where v.tenant_id = t.tenant_id and v.doc_version_id = t.doc_version_id and v.is_active)`,
  ],
  [
    'wrong',
    'passages of a served version cannot be found',
    `select count(*)::int as n from chunk_passages p
     join document_versions v on v.tenant_id = p.tenant_id and v.doc_version_id = p.doc_version_id and v.is_active
     where not exists (select from chunk_embeddings e
                       where e.tenant_id = p.tenant_id and e.chunk_id = p.chunk_id and e.passage_no = p.passage_no)`,
  ],
  [
    'wrong',
    'served versions have no terms',
    `select count(*)::int as n from document_versions v
     where v.is_active and not exists (select from chunk_terms t where t.tenant_id = v.tenant_id and t.doc_version_id = v.doc_version_id)`,
  ],
  [
    'wrong',
    'versions hold other counts than their tables',
    `select count(*)::int as n from document_versions v
     where v.ready_at is not null
       and (v.page_count <> (select count(*) from document_pages p where p.tenant_id = v.tenant_id and p.doc_version_id = v.doc_version_id)
         or v.chunk_count <> (select count(*) from chunks c where c.tenant_id = v.tenant_id and c.doc_version_id = v.doc_version_id)
         or v.passage_count <> (select count(*) from chunk_passages p where p.tenant_id = v.tenant_id and p.doc_version_id = v.doc_version_id))`,
  ],
  [
    'wrong',
    'receipts do not add up',
    `select count(*)::int as n from engine.all_runs r
     where r.phase = 'done' and (r.receipt ->> 'passages')::int <> (r.receipt ->> 'embedded')::int + (r.receipt ->> 'reused')::int`,
  ],
];

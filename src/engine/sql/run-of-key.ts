/**
 * The run of a tenant's pipeline that was enqueued with a key: `run_id`, of the ledger or of its history. The ledger is entered at the key
 * and left after one step, which only the index of keys can do: asked for equality, an index of all runs of the pipeline looks as good
 * to a server that has no statistics.
 */
export function runOfKey(tenant: string, pipeline: string, key: string): string {
  return `
    select k.run_id from (
      (select r.unique_key, r.id as run_id from engine.runs r
       where r.tenant_id = ${tenant} and r.pipeline = ${pipeline} and r.unique_key >= ${key} order by r.unique_key limit 1)
      union all
      (select p.unique_key, p.run_id from engine.past_keys p
       where p.tenant_id = ${tenant} and p.pipeline = ${pipeline} and p.unique_key = ${key} limit 1)
    ) k
    where k.unique_key = ${key}`;
}

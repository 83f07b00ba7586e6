// Plaintiffs of a range of staged rows, set by set: first those with an email, then the phones that stand beside an email, then the
// rest. So a person known by phone in one row and by email and phone in another is one plaintiff, in whichever order the rows come.
// Look-ups are lateral, one index probe per row whatever the statistics say; rows are written in key order, so that batches
// working at once cannot lock each other out.
import type { Queryable } from '../../../platform/database.ts';

export interface LoadScope {
  readonly batchId: string;
  readonly tenantId: string;
}

export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The plaintiff a key leads to: founded with it, or learned later. The aliases are long because `key` must not mean one of them. */
export const plaintiffByKey = (key: string) => `
  coalesce((select founded.id from plaintiffs founded where founded.tenant_id = $2 and founded.dedupe_key = ${key}),
           (select learned_key.plaintiff_id from plaintiff_keys learned_key
            where learned_key.tenant_id = $2 and learned_key.dedupe_key = ${key}))`;

/** In the order of the file, which only their key has. Those that say nothing new of their plaintiff are passed over; see the staging buffer. */
const rowsInRange = `(
          select * from intake.simplicity_validated_rows
          where batch_id = $1 and row_index >= $3 and row_index < $4 order by row_index offset 0)`;
const isEmail = `left(s.dedupe_key, 6) = 'email:'`;

/** A new email beside the phone of a plaintiff without an email is that plaintiff's. */
export async function adoptEmails(db: Queryable, scope: LoadScope, range: RowRange): Promise<void> {
  await db.query({
    name: 'judgments-adopt-emails',
    text: `
      with given as materialized (
        select distinct on (s.dedupe_key) s.dedupe_key, s.phone_key, s.email
        from ${rowsInRange} s
        where s.tells_plaintiff and s.phone_key is not null
        order by s.dedupe_key, s.row_index
      ),
      known as materialized (
        select g.dedupe_key, g.email, ${plaintiffByKey('g.phone_key')} as plaintiff_id
        from given g
        where ${plaintiffByKey('g.dedupe_key')} is null
      ),
      adopting as materialized (
        select distinct on (k.plaintiff_id) k.dedupe_key, k.email, k.plaintiff_id
        from known k
        join plaintiffs p on p.tenant_id = $2 and p.id = k.plaintiff_id
        where p.email is null
        order by k.plaintiff_id, k.dedupe_key
      ),
      learned as (
        insert into plaintiff_keys (tenant_id, dedupe_key, plaintiff_id, run_id)
        select $2, dedupe_key, plaintiff_id, $1 from adopting
        order by dedupe_key
        on conflict do nothing
      )
      update plaintiffs p
      set email = a.email, updated_at = engine.now()
      from adopting a
      where p.tenant_id = $2 and p.id = a.plaintiff_id and p.email is null`,
    values: [scope.batchId, scope.tenantId, range.from, range.to],
  });
}

export interface Founded {
  readonly founded: number;
  /** The lowest id that was given out; null when none was. */
  readonly first_id: number | null;
}

/**
 * Founds plaintiffs that no key leads to yet, and fills what is known of the others. A row with a name only, of a case whose
 * plaintiff has that very name, means that plaintiff and founds none.
 */
export async function foundPlaintiffs(
  db: Queryable,
  scope: LoadScope,
  range: RowRange,
  withEmail: boolean,
): Promise<Founded> {
  const { rows } = await db.query<Founded>({
    name: withEmail ? 'judgments-found-by-email' : 'judgments-found-others',
    text: `
      with given as materialized (
        select s.dedupe_key, ${latest('plaintiff_name')}, ${latest('name_key')}, ${latest('email')}, ${latest('phone')},
               ${latest('address')}
        from ${rowsInRange} s
        where s.tells_plaintiff and s.dedupe_key is not null and ${withEmail ? isEmail : `not ${isEmail}`}
          ${withEmail ? '' : `and not (left(s.dedupe_key, 5) = 'name:' and ${hasNamesake})`}
        group by s.dedupe_key
      ),
      written as (
        insert into plaintiffs (tenant_id, dedupe_key, name, name_key, email, phone, address, run_id)
        select $2, g.dedupe_key, g.plaintiff_name, g.name_key, g.email, g.phone, g.address, $1
        from given g
        left join lateral (
          select f.id, f.name, f.email, f.phone, f.address from plaintiffs f
          where f.tenant_id = $2 and f.dedupe_key = g.dedupe_key
          limit 1
        ) known on true
        where case when known.id is null
                   then not exists (select from plaintiff_keys k where k.tenant_id = $2 and k.dedupe_key = g.dedupe_key)
                   else ${tellsMore('g', 'known')} end
        order by g.dedupe_key
        on conflict (tenant_id, dedupe_key) do update
        set name = coalesce(excluded.name, plaintiffs.name), name_key = coalesce(excluded.name_key, plaintiffs.name_key),
            email = coalesce(excluded.email, plaintiffs.email), phone = coalesce(excluded.phone, plaintiffs.phone),
            address = coalesce(excluded.address, plaintiffs.address), updated_at = engine.now()
        where ${tellsMore('excluded', 'plaintiffs', 'name')}
        returning id, (xmax = 0) as is_new
      )
      select count(*)::int as founded, min(id) as first_id from written where is_new`,
    values: [scope.batchId, scope.tenantId, range.from, range.to],
  });
  return rows[0] ?? { founded: 0, first_id: null };
}

/** What the last row that says anything says: an empty cell further down takes nothing away. */
const latest = (column: string) =>
  `(array_agg(s.${column} order by s.row_index desc) filter (where s.${column} is not null))[1] as ${column}`;

/** Whether a row has a value that is not stored yet. Asked before the upsert: one that changes nothing would still lock its row. */
const tellsMore = (given: string, stored: string, name = 'plaintiff_name') =>
  [
    [name, 'name'],
    ['email', 'email'],
    ['phone', 'phone'],
    ['address', 'address'],
  ]
    .map(([from, to]) => `(${given}.${from} is not null and ${given}.${from} is distinct from ${stored}.${to})`)
    .join(' or ');

const hasNamesake = `exists (
  select from judgments j
  join plaintiffs p on p.tenant_id = $2 and p.id = j.plaintiff_id
  where j.tenant_id = $2 and j.case_number = s.case_number and j.county_key is not distinct from s.county_key
    and p.name_key = s.name_key and p.dedupe_key <> s.dedupe_key)`;

/** A phone beside an email is that plaintiff's too, unless it is another's: then the two may be one person, and a person decides. */
export async function linkPhones(db: Queryable, scope: LoadScope, range: RowRange): Promise<number> {
  const { rows } = await db.query<{ reviews: number }>({
    name: 'judgments-link-phones',
    text: `
      with given as materialized (
        select distinct s.dedupe_key, s.phone_key
        from ${rowsInRange} s
        where s.tells_plaintiff and s.phone_key is not null
      ),
      pairs as materialized (
        select g.phone_key, ${plaintiffByKey('g.dedupe_key')} as by_email, ${plaintiffByKey('g.phone_key')} as by_phone
        from given g
      ),
      learned as (
        insert into plaintiff_keys (tenant_id, dedupe_key, plaintiff_id, run_id)
        select distinct on (phone_key) $2, phone_key, by_email, $1
        from pairs where by_phone is null and by_email is not null
        order by phone_key, by_email
        on conflict do nothing
      ),
      proposed as (
        insert into plaintiff_reviews (tenant_id, reason, plaintiff_id, match_id, run_id)
        select distinct $2::uuid, 'shared_phone', greatest(by_email, by_phone), least(by_email, by_phone), $1::uuid
        from pairs where by_phone <> by_email
        on conflict on constraint plaintiff_reviews_pair do nothing
        returning 1
      )
      select count(*)::int as reviews from proposed`,
    values: [scope.batchId, scope.tenantId, range.from, range.to],
  });
  return rows[0]?.reviews ?? 0;
}

/** Of the plaintiffs founded from this id on: those that share their name with an earlier one, where a name is all that is known. */
export async function proposeNamesakes(db: Queryable, scope: LoadScope, firstId: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-propose-namesakes',
    text: `
      insert into plaintiff_reviews (tenant_id, reason, plaintiff_id, match_id, run_id)
      select $2, 'same_name', p.id, m.id, $1
      from plaintiffs p
      cross join lateral (
        select m.id from plaintiffs m
        where m.tenant_id = $2 and m.name_key = p.name_key and m.id < p.id
          and (left(p.dedupe_key, 5) = 'name:' or left(m.dedupe_key, 5) = 'name:')
        order by m.id
        limit 1
      ) m
      where p.tenant_id = $2 and p.id >= $3 and p.run_id = $1
      order by p.id
      on conflict on constraint plaintiff_reviews_pair do nothing`,
    values: [scope.batchId, scope.tenantId, firstId],
  });
  return rowCount ?? 0;
}

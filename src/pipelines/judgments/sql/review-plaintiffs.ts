// Merge reviews: reading them, and carrying a person's decision out. A merge is a link from one plaintiff to another, so undoing it
// is taking the link away. Every statement names the tenant.
import type { Queryable } from '../../../platform/database.ts';

interface ReviewSide {
  readonly id: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

export interface ReviewRow {
  readonly id: number;
  readonly reason: 'same_name' | 'shared_phone' | 'split';
  readonly status: 'open' | 'accepted' | 'rejected' | 'split' | 'undone';
  readonly plaintiff: ReviewSide;
  readonly match: ReviewSide;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly created_at: Date;
}

const side = (table: string) =>
  `jsonb_build_object('id', ${table}.id, 'name', ${table}.name, 'email', ${table}.email, 'phone', ${table}.phone, 'address', ${table}.address)`;

const reviews = `
  select v.id, v.reason, v.status, ${side('p')} as plaintiff, ${side('m')} as match, v.decided_by, v.decided_at, v.created_at
  from plaintiff_reviews v
  join plaintiffs p on p.tenant_id = v.tenant_id and p.id = v.plaintiff_id
  join plaintiffs m on m.tenant_id = v.tenant_id and m.id = v.match_id`;

export async function listReviews(
  db: Queryable,
  filter: {
    readonly tenantId: string;
    readonly afterId: number;
    readonly statuses: readonly string[];
    readonly limit: number;
  },
): Promise<ReviewRow[]> {
  const { rows } = await db.query<ReviewRow>({
    name: 'judgments-list-reviews',
    text: `${reviews} where v.tenant_id = $1 and v.id > $2 and v.status = any ($3) order by v.id limit $4`,
    values: [filter.tenantId, filter.afterId, filter.statuses, filter.limit],
  });
  return rows;
}

export async function findReview(db: Queryable, tenantId: string, reviewId: number): Promise<ReviewRow | undefined> {
  const { rows } = await db.query<ReviewRow>({
    name: 'judgments-find-review',
    text: `${reviews} where v.tenant_id = $1 and v.id = $2`,
    values: [tenantId, reviewId],
  });
  return rows[0];
}

export interface Decision {
  readonly tenantId: string;
  readonly reviewId: number;
  readonly by: string;
  /** Every open review of the same match. */
  readonly all: boolean;
}

const picked = `
  picked as materialized (
    select v.id, plaintiff_root(v.tenant_id, v.plaintiff_id) as root_id
    from plaintiff_reviews v
    where v.tenant_id = $1 and v.status = 'open'
      and (v.id = $2 or ($4 and v.match_id = (select o.match_id from plaintiff_reviews o where o.tenant_id = $1 and o.id = $2)))
    for update of v
  )`;

/** Merges; how many reviews were decided. */
export async function acceptReviews(db: Queryable, decision: Decision): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-accept-reviews',
    text: `
      with target as materialized (
        select plaintiff_root(v.tenant_id, v.match_id) as id from plaintiff_reviews v where v.tenant_id = $1 and v.id = $2
      ),
      ${picked},
      merged as (
        update plaintiffs p
        set merged_into = t.id, updated_at = engine.now()
        from target t
        where p.tenant_id = $1 and p.id in (select root_id from picked) and p.id <> t.id
        returning p.id
      )
      update plaintiff_reviews v
      set status = 'accepted', decided_by = $3, decided_at = engine.now(), merged_id = m.id
      from picked k
      left join merged m on m.id = k.root_id
      where v.tenant_id = $1 and v.id = k.id`,
    values: [decision.tenantId, decision.reviewId, decision.by, decision.all],
  });
  return rowCount ?? 0;
}

export async function rejectReviews(db: Queryable, decision: Decision): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-reject-reviews',
    text: `
      with ${picked}
      update plaintiff_reviews v
      set status = 'rejected', decided_by = $3, decided_at = engine.now()
      from picked k
      where v.tenant_id = $1 and v.id = k.id`,
    values: [decision.tenantId, decision.reviewId, decision.by, decision.all],
  });
  return rowCount ?? 0;
}

/** Takes a decision back: the merge's link, or the split's cases. A split stays on record as undone, a pair is open again. */
export async function undoReview(db: Queryable, tenantId: string, reviewId: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'judgments-undo-review',
    text: `
      with undoing as materialized (
        select v.id, v.reason, v.plaintiff_id, v.match_id, v.merged_id, v.judgment_ids
        from plaintiff_reviews v
        where v.tenant_id = $1 and v.id = $2 and v.status in ('accepted', 'rejected', 'split')
        for update
      ),
      parted as (
        update plaintiffs p set merged_into = null, updated_at = engine.now()
        from undoing u where p.tenant_id = $1 and p.id = u.merged_id
      ),
      returned as (
        update judgments j
        set plaintiff_id = u.match_id, plaintiff_pinned = false, version = j.version + 1, updated_at = engine.now()
        from undoing u
        where u.reason = 'split' and j.tenant_id = $1 and j.id = any (u.judgment_ids) and j.plaintiff_id = u.plaintiff_id
      )
      update plaintiff_reviews v
      set status = case when u.reason = 'split' then 'undone' else 'open' end, decided_by = null, decided_at = null, merged_id = null
      from undoing u
      where v.tenant_id = $1 and v.id = u.id`,
    values: [tenantId, reviewId],
  });
  return rowCount ?? 0;
}

export interface OwnedCases {
  readonly exists: boolean;
  /** Of the named cases. */
  readonly owned: number;
  readonly all_cases: number;
}

/** Locks the plaintiff's named cases until the transaction ends. */
export async function lockCases(
  db: Queryable,
  tenantId: string,
  plaintiffId: number,
  judgmentIds: readonly number[],
): Promise<OwnedCases> {
  const { rows } = await db.query<OwnedCases>({
    name: 'judgments-lock-cases',
    text: `
      with named as materialized (
        select j.id from judgments j
        where j.tenant_id = $1 and j.plaintiff_id = $2 and j.id = any ($3::bigint[])
        for update
      )
      select exists (select from plaintiffs p where p.tenant_id = $1 and p.id = $2) as exists,
             (select count(*)::int from named) as owned,
             (select count(*)::int from judgments j where j.tenant_id = $1 and j.plaintiff_id = $2) as all_cases`,
    values: [tenantId, plaintiffId, judgmentIds],
  });
  return rows[0] ?? { exists: false, owned: 0, all_cases: 0 };
}

/** Gives the cases to a new plaintiff and pins them there; the id of the review that can undo it. */
export async function splitPlaintiff(
  db: Queryable,
  split: {
    readonly tenantId: string;
    readonly plaintiffId: number;
    readonly judgmentIds: readonly number[];
    readonly key: string;
    readonly by: string;
  },
): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: 'judgments-split-plaintiff',
    text: `
      with founded as (
        insert into plaintiffs (tenant_id, dedupe_key, name, name_key, run_id)
        select $1, $4, coalesce(j.plaintiff_name, p.name), p.name_key, j.run_id
        from unnest($3::bigint[]) given (id)
        cross join lateral (select * from judgments where tenant_id = $1 and id >= given.id order by id limit 1) j
        join plaintiffs p on p.tenant_id = $1 and p.id = $2
        where j.id = given.id
        order by j.id limit 1
        returning id
      ),
      moved as (
        update judgments j
        set plaintiff_id = f.id, plaintiff_pinned = true, version = j.version + 1, updated_at = engine.now()
        from founded f
        where j.tenant_id = $1 and j.plaintiff_id = $2 and j.id = any ($3::bigint[])
      )
      insert into plaintiff_reviews (tenant_id, reason, plaintiff_id, match_id, status, judgment_ids, decided_by, decided_at)
      select $1, 'split', f.id, $2, 'split', $3, $5, engine.now() from founded f
      returning id`,
    values: [split.tenantId, split.plaintiffId, split.judgmentIds, split.key, split.by],
  });
  return rows[0]?.id;
}

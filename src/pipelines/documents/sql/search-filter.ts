// Filters of a search as a condition on versions. Without a filter the search tables alone are read: they hold what is served and nothing else.

export interface SearchFilter {
  readonly sourceId: string | null;
  readonly types: readonly string[] | null;
  /** Days. */
  readonly from: string | null;
  readonly to: string | null;
  readonly tags: readonly string[] | null;
  readonly docIds: readonly string[] | null;
}

export const noFilter: SearchFilter = {
  sourceId: null,
  types: null,
  from: null,
  to: null,
  tags: null,
  docIds: null,
};

export function isFiltering(filter: SearchFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}

/** Versions that pass; its parameters begin at `first`, the tenant is $1. */
export function passingVersions(first: number): string {
  const at = (offset: number) => `$${first + offset}`;
  return `
    select v.doc_version_id
    from public.documents d
    join public.document_versions v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id and v.is_active = true
    where d.tenant_id = $1
      and (${at(0)}::uuid is null or d.source_uri in (
        select o.source_uri from public.source_objects o where o.tenant_id = $1 and o.source_id = ${at(0)}))
      and (${at(1)}::text[] is null or d.source_type = any (${at(1)}))
      and (${at(2)}::date is null or d.created_at >= ${at(2)}::date)
      and (${at(3)}::date is null or d.created_at < ${at(3)}::date + 1)
      and (${at(4)}::text[] is null or d.tags && ${at(4)})
      and (${at(5)}::uuid[] is null or d.doc_id = any (${at(5)}))`;
}

export function filterValues(filter: SearchFilter): unknown[] {
  return [filter.sourceId, filter.types, filter.from, filter.to, filter.tags, filter.docIds];
}

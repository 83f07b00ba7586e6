-- The index of open items by owner was a way in for every statement over open items: with fresh statistics the claims of one job went by it and read all that waits in
-- the tenant. Its condition is now one that only the listings of owners say (docs/decisions/0160-plans-that-cannot-fall-off-a-cliff.md).
create index job_items_open_of_user on public.job_items (tenant_id, user_id, updated_at, id)
  where status in ('PENDING', 'PROCESSING') and updated_at > '-infinity';
drop index public.job_items_pending_of_user;

-- The first row of a key is one step.
create index item_catalog_rows_of_sku on public.item_catalog_rows (catalog_id, sku_key, row_no) where sku_key is not null;
create index item_catalog_rows_of_gtin on public.item_catalog_rows (catalog_id, gtin, row_no) where gtin is not null;
drop index public.item_catalog_rows_by_sku;
drop index public.item_catalog_rows_by_gtin;

-- A source shows its newest thirty syncs, and nothing else reads this table: each sync that begins removes the ones behind them. The runs stay in
-- the ledger as long as other runs do.
grant delete on public.source_syncs to sources_worker;

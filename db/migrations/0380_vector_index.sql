-- The nearest signatures by pgvector, where the server has it: one index per model, over bits, asked for by a service of the product. The
-- application owns nothing, so the index is made by this function, with its owner's rights and nothing else in its reach.
create function public.index_signatures(of_model text, of_dims integer) returns text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  as $$
declare
  called constant text := 'chunk_signatures_near_' || left(md5(of_model), 8);
  -- bit_hamming_ops and iterative scans came with 0.8.
  lives_in constant text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
                             where e.extname = 'vector' and string_to_array(e.extversion, '.')::integer[] >= array[0, 8]);
begin
  if lives_in is null then
    return 'absent';
  end if;
  if of_dims not between 1 and 64000 then
    raise exception 'a signature of % bits cannot be indexed', of_dims;
  end if;
  if exists (select from pg_class c join pg_index i on i.indexrelid = c.oid
             where c.relnamespace = 'public'::regnamespace and c.relname = called and i.indisvalid) then
    return 'there';
  end if;
  -- Whoever serves a document waits while it is made: seconds for a small table. A large one is for whoever runs the database,
  -- "concurrently", which no function can do.
  if (select c.reltuples from pg_class c where c.oid = 'public.chunk_signatures'::regclass) > 50000 then
    return 'large';
  end if;
  perform set_config('lock_timeout', '2s', true);
  execute format('create index if not exists %I on public.chunk_signatures using hnsw ((bits::bit(%s)) %I.bit_hamming_ops) where model_id = %L',
                 called, of_dims, lives_in, of_model);
  return 'made';
end
$$;
revoke all on function public.index_signatures(text, integer) from public;
grant execute on function public.index_signatures(text, integer) to documents_models;

-- A tenant that the golden path makes on an empty installation and removes again: it is in no list, signs nobody in, and is the only kind that
-- can be removed.
alter table public.tenants add column is_trial boolean not null default false;
comment on column public.tenants.is_trial is 'Made for one command on an empty installation, and removed by it.';
grant delete on public.tenants to millrace_operator;
create policy trial_only on public.tenants as restrictive for delete to millrace_operator using (is_trial);

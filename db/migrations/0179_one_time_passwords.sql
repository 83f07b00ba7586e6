-- A one-time password works once: the first sign-in with it uses it up. Until it is changed, another one has to be given.
alter table public.users add column one_time_used_at timestamptz;
comment on column public.users.one_time_used_at is 'When the one-time password was used; null for a password of the user''s own.';
grant update (one_time_used_at) on public.users to millrace_app;

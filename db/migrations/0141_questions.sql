-- A question that a stage asks before it goes on: a run that waits for its answer is held, by nobody's worker and outside of every cap.
-- One that nobody answers in time ends its run as failed with the question's code (src/engine/services/question-timer.ts).
create table engine.questions (
  question_id uuid primary key,
  tenant_id uuid not null,
  run_id uuid not null,
  -- The n-th question of its run. An attempt that was lost asks again under the same number.
  number integer not null,
  code text not null,
  text text not null,
  -- What the question is about, in the words of the pipeline.
  details jsonb not null,
  -- [{"choice": "…", "label": "…", "refuses": true}], each with what the stage needs to act on it.
  choices jsonb not null,
  asked_at timestamptz not null default engine.now(),
  expires_at timestamptz not null,
  -- Answered, timed out, or its run ended otherwise.
  closed_at timestamptz,
  answer text,
  answered_by text,
  constraint questions_answered_is_closed check (answer is null or (closed_at is not null and answered_by is not null)),
  unique (run_id, number)
);
create index questions_open on engine.questions (expires_at) where closed_at is null;
create index questions_open_by_tenant on engine.questions (tenant_id, question_id) where closed_at is null;
create index questions_closed on engine.questions (closed_at) where closed_at is not null;

alter table engine.questions enable row level security;
alter table engine.questions force row level security;
create policy engine_all on engine.questions to millrace_engine using (true) with check (true);
create policy tenant_only on engine.questions for select to millrace_app
  using (tenant_id = (select nullif(current_setting('millrace.tenant_id', true), '')::uuid));
grant select, insert, update, delete on engine.questions to millrace_engine;
grant select on engine.questions to millrace_app;

-- A file from a folder or a source has nobody who looks at its run: the default rule tells a person.
insert into engine.alert_rules (rule_id, name, description, kind, event, window_minutes, severity) values
  (gen_random_uuid(), 'question_asked', 'A run of a folder or a source waits for an answer before it stores anything.', 'event', 'question_asked', 10080, 'WARNING');

-- What people answer about how a batch is read is kept with its reading, as what they say beforehand is.
grant update (overrides) on intake.batch_readings to judgments_import;

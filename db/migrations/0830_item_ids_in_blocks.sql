-- Several pieces of a file are stored at once, and each row took its id from the sequence by itself, under one lock. A session takes a thousand at a time: ids still rise within
-- a statement, which is all that lists of pending items rely on, and those that a session leaves unused are never given out.
alter table public.job_items alter column id set cache 1024;

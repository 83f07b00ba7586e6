-- The pump takes committed events in the order of their ids. Taken as they lie in the heap, a later event of a run could get the earlier
-- position: vacuum frees the first pages of a long inbox, and what comes then is stored in front of what waits.
create index event_inbox_in_order on engine.event_inbox (event_id);

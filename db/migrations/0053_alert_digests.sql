-- Digests: when many alerts of one rule open in a short time, a sink is told the first few one by one and the rest in one message.
-- Each alert stays in the list; only its own message is folded.
--
-- folded     told by the digest named in folded_into
-- digest     a message about all that is folded into it; its alert is the first of them
-- digest_end to PagerDuty: every alert that digests of this rule told is over
alter table engine.alert_sends
  add column folded_into bigint references engine.alert_sends on delete set null,
  drop constraint alert_sends_what_check,
  add constraint alert_sends_what_check
    check (what in ('open', 'reminder', 'acknowledge', 'resolve', 'test', 'digest', 'digest_end')),
  drop constraint alert_sends_status_check,
  add constraint alert_sends_status_check check (status in ('waiting', 'sent', 'failed', 'dropped', 'folded'));

create index alert_sends_folded on engine.alert_sends (folded_into) where folded_into is not null;
-- What a sink was told in the last minutes.
create index alert_sends_recent on engine.alert_sends (sink_id, sent_at) where sent_at is not null;

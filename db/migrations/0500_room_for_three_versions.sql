-- A run is written three times: enqueued, claimed, ended. With pages filled to 45 % the third version only fitted after the first had been
-- cleared away, which another transaction of the same moment prevents: a third of the ends went to another page and into every index anew,
-- more with two workers, all of them while somebody held an old snapshot. Pages filled to 30 % have room for all three.
-- Holds for pages that are filled from now on; what is there stays as it is.
alter table engine.runs set (fillfactor = 30);

-- What the ledger says of a run that lost its worker too often: a code of the pipeline's own. Null: worker_lost.
alter table engine.pipelines add column lost_code text collate "C";

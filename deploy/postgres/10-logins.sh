#!/bin/sh
# Runs once, when the data folder of the database is made: the two logins of compose.yaml. They own nothing; migrations say what they may become.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set app="$MILLRACE_DB_PASSWORD" --set ingest="$INGEST_DB_PASSWORD" <<'SQL'
create role millrace login noinherit password :'app';
create role millrace_ingest login noinherit password :'ingest';
SQL

// Which arrows of the machines the tests take. Every test database notes the moves of its runs; what it noted is kept when it
// is dropped, and the end of a run of the whole suite names the arrows of the product that no test took.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { machines } from '../../src/contract/pipelines/all.ts';
import { arrowsOf } from '../../src/engine/machines.ts';
import type { Queryable } from '../../src/platform/database.ts';

interface Move {
  readonly pipeline: string;
  readonly from_status: string;
  readonly to_status: string;
}

/** Part of the template of all test databases, beside what the migrations make. */
export const moveRecorder = `
  create schema test_record;
  create unlogged table test_record.moves (pipeline text, from_status text, to_status text);
  grant usage on schema test_record to public;
  grant insert on test_record.moves to public;
  create function test_record.note_moves() returns trigger language plpgsql set enable_nestloop to 'off' as $$
  begin
    insert into test_record.moves
    select distinct n.pipeline, o.status, n.status from old_runs o join new_runs n on n.id = o.id where o.status <> n.status;
    return null;
  end $$;
  create trigger note_moves after update on engine.runs referencing old table as old_runs new table as new_runs
    for each statement execute function test_record.note_moves()`;

export async function readMoves(db: Queryable): Promise<Move[]> {
  return (await db.query<Move>('select distinct pipeline, from_status, to_status from test_record.moves')).rows;
}

/** A test that walks along the machines themselves proves nothing about the pipelines: its moves are not kept. */
export async function forgetMoves(db: Queryable): Promise<void> {
  await db.query('delete from test_record.moves');
}

export async function keepMoves(db: Queryable, file: string): Promise<void> {
  appendFileSync(file, (await readMoves(db)).map((move) => `${JSON.stringify(move)}\n`).join(''));
}

/** The arrows nobody took; none when only a part of the tests was run, or one of them failed. */
export async function arrowsNotTaken({ vitest }: TestProject, file: string): Promise<string[]> {
  const passed = new Set(vitest.state.getTestModules().flatMap((module) => (module.ok() ? [module.moduleId] : [])));
  const all = await vitest.globTestSpecifications();
  if (vitest.config.testNamePattern || !all.every(({ moduleId }) => passed.has(moduleId))) return [];
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const taken = new Set(lines.map((line) => describe(JSON.parse(line) as Move)));
  return machines.flatMap((machine) =>
    arrowsOf(machine)
      .map(({ from, to }) => describe({ pipeline: machine.pipeline, from_status: from, to_status: to }))
      .filter((arrow) => !taken.has(arrow)),
  );
}

function describe({ pipeline, from_status: from, to_status: to }: Move): string {
  return `${pipeline}: ${from} → ${to}`;
}

// How the server plans our statements: through indexes, whatever it believes of a table. Statistics are always those of yesterday: of a table
// that was almost empty when they were taken, the server takes the one tenant or run it has seen for all of it and reads the whole.
//
// None of this forbids: what no index leads to is still read in full. A way that is priced wrongly costs a few look-ups more; a table that is
// read whole for a page costs as much as it has grown. Every statement is measured under these settings (test/plans).
import type pg from 'pg';

/**
 * Of every connection. Pages, look-ups and the rows of one run are what an index has, in order. A tenant that statistics do not know yet is
 * taken for a few rows, and a few rows look cheaper gathered by a bitmap and sorted: a page of the audit log then read all of the
 * tenant's 15,000. Of two indexes the one that leads to fewer rows is taken: with pages that cost the more the less they lie in order, a
 * tenant's page walked along the primary key through everybody's rows.
 */
export const throughIndexes = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  random_page_cost: '1',
} as const;

/** The engine's own statements touch few rows by key. Generic plans save planning time. */
export const shortStatements = { ...throughIndexes, plan_cache_mode: 'force_generic_plan' } as const;

/** A statement that is planned under settings of its own. Recounts take them (src/engine/sql/statement-by-statement.ts); nobody else does. */
export interface PlannedStatement extends pg.QueryConfig {
  readonly settings?: Readonly<Record<string, string>>;
}

/** Who asks for the order of an index is answered through that index, and not through one that looks as good without statistics, and a sort. */
export const inIndexOrder = { enable_sort: 'off', enable_incremental_sort: 'off' } as const;

// What the console knows of a pipeline, declared in one object, as its kit on the server does for the rest of the product. A page or a
// panel is named by a lazy component, so that its script is loaded only where it is shown. A pipeline without a kit here
// (PIPELINE_MODULES names it) has the general appearance: progress, rejects, rows, and a place in the list of kinds.
import type { AnyRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { AnswerOf, CallArgs } from '../../../src/contract/api/client.ts';
import type { Role } from '../../../src/contract/api/roles.ts';
import type { RunDetail } from '../app/api.ts';
import type { IconName } from '../ui/icons.tsx';

/** Pages of its own, by the page they stand under (app/frame.ts). */
export interface KitRoutes {
  readonly run: readonly AnyRoute[];
  readonly data: readonly AnyRoute[];
  readonly operate: readonly AnyRoute[];
  /** With a place of its own in the main navigation. */
  readonly shell: readonly AnyRoute[];
}

export interface PageTab {
  readonly to: string;
  readonly label: string;
  /** Current only at exactly this address, not at those below it. */
  readonly exact?: boolean;
}

/** A link of the main navigation, beside those that every installation has. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

export interface OperateTab extends PageTab {
  /** Who is offered it. */
  readonly roles: readonly Role[];
}

/** What a dropped file can be. One pipeline may take several kinds. */
export interface FileKind {
  /** Unique among all kits. */
  readonly name: string;
  readonly title: string;
  /** Text that only such files have in their first lines, its weight, and how it is told to a person. */
  readonly marks?: readonly (readonly [RegExp, number, string])[];
  /** What such files are often called. */
  readonly filename?: RegExp;
  /** Form fields of the upload, beside the pipeline. */
  readonly fields?: (file: File) => Readonly<Record<string, string>>;
}

/** A question to the server, asked with others of its sort. */
export interface Asked<Answer> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Answer>;
  readonly refetchInterval?: number;
}

/** One of the first steps on the home page, for admins. */
export interface FirstStep {
  readonly key: string;
  readonly label: string;
  /** Where it is taken. */
  readonly to: string;
  readonly isDone: Asked<boolean>;
}

/** What one of its schedules is called and means, by the schedule's name. */
export interface ScheduleWords {
  readonly title: string;
  readonly to: string;
  readonly every: string;
  readonly nextAt: string | null;
}

export type RunFile = Pick<RunDetail, 'run_id' | 'pipeline' | 'input'>;
export type Reading = AnswerOf<'uploads.reading'>;
export type ReadingOverrides = CallArgs<'uploads.override'>['body'];
export type Mapping = AnswerOf<'uploads.mapping'>;

export interface MappingChange {
  readonly columns: { index: number; field: string | null }[];
  /** What every row has; only where `hasConstants`. Left out: as before. */
  readonly constants?: Record<string, string>;
  readonly name?: string;
}

/** How the reading and the mapping of a run's file are shown and changed. */
export interface FileReader {
  reading(run: RunFile, signal?: AbortSignal): Promise<Reading>;
  override(run: RunFile, body: ReadingOverrides): Promise<Reading>;
  mapping(run: RunFile, signal?: AbortSignal): Promise<Mapping>;
  /** Saves the columns as a new version and gives what holds from now on. */
  saveMapping(run: RunFile, change: MappingChange): Promise<Mapping>;
  /** Whether a mapping may say what every row has. */
  readonly hasConstants: boolean;
  /** Whether the stored file of an ended run can be read again. */
  readonly canReread?: boolean;
}

/** The columns of its rows, in this order; others follow in the order of the file. */
export interface RowColumns {
  readonly words: Readonly<Record<string, string>>;
  isFigure(name: string): boolean;
  /** Stands behind all others. */
  readonly last?: string;
}

export interface RunParts {
  /** Views of a run beside its progress, in this order. */
  readonly views: readonly ('rejects' | 'rows' | 'reading' | 'mapping')[];
  /** Further views, with pages of its own; "/r/$runId/…". */
  readonly tabs?: readonly {
    readonly to: string;
    readonly label: string;
    readonly isShown?: (run: RunDetail) => boolean;
  }[];
  /** What it counts, where that is not rows. */
  readonly unit?: string;
  /** What the outcomes of its receipt mean, where they are not those of rows. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** Where what ended so is shown, where that is not the rows; "/r/$runId/…". */
  readonly outcomeTo?: string;
  /** Said behind the pipeline's name in the header. */
  caption?(run: RunDetail): string | undefined;
  /** Form fields with which corrected rejects go back. */
  returnFields?(run: RunDetail): Readonly<Record<string, string>>;
  readonly reader?: FileReader;
  readonly columns?: RowColumns;
  /** Measures that are money. */
  readonly amounts?: ReadonlySet<string>;
  /** Where a stored figure came from. */
  readonly Provenance?: ComponentType<{ storedId: string; column: string; onClose: () => void }>;
  /** What the run stored, when it is no longer kept which line ended how. */
  readonly Stored?: ComponentType<{ runId: string; empty: string }>;
}

export interface ConsoleKit<Routes extends KitRoutes = KitRoutes> {
  /** Of the pipeline. */
  readonly name: string;
  readonly routes: Routes;
  readonly places?: readonly Place[];
  readonly dataTabs?: readonly PageTab[];
  readonly operateTabs?: readonly OperateTab[];
  readonly kinds?: readonly FileKind[];
  readonly firstStep?: FirstStep;
  readonly schedules?: Asked<ReadonlyMap<string, ScheduleWords>>;
  readonly run: RunParts;
  /** Its figures on the page of the server's health. */
  readonly HealthPanel?: ComponentType<{ metrics: AnswerOf<'system.metrics'> }>;
}

/** Gives a kit its types; the routes keep theirs, so that links to them are checked. */
export function defineConsoleKit<const Routes extends KitRoutes>(kit: ConsoleKit<Routes>): ConsoleKit<Routes> {
  return kit;
}

export const noRoutes = { run: [], data: [], operate: [], shell: [] } as const satisfies KitRoutes;

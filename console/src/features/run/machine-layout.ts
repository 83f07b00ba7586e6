// Lays out a pipeline's machine for drawing. Live states stand in one line from left to right in the order work takes them;
// terminal states stack at the right, good ends above bad ones. Arrows back (release, retry) arch over the line; arrows to an end
// below the line run along that end's rail.
import type { Pipeline } from '../../app/api.ts';

type State = Pipeline['machine']['states'][number];

export interface PlacedState {
  readonly name: string;
  readonly phase: State['phase'];
  readonly stage: string | null;
  readonly x: number;
  readonly y: number;
}

export interface PlacedArrow {
  readonly from: string;
  readonly to: string;
  readonly events: string;
  readonly kind: 'forward' | 'back' | 'ending';
  readonly path: string;
  readonly label: { readonly x: number; readonly y: number } | undefined;
}

export interface MachineDrawing {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly arrows: readonly PlacedArrow[];
}

export const nodeWidth = 122;
export const nodeHeight = 36;
const gapX = 62;
const rowY = 58;
const archY = 34;
const pad = 6;

const endOrder: Record<State['phase'], number> = { waiting: 0, active: 0, done: 1, failed: 2, dead: 3 };

export function layoutMachine(machine: Pipeline['machine']): MachineDrawing {
  const states = new Map(machine.states.map((state) => [state.name, state]));
  const rank = rankStates(machine, states);
  const live = machine.states.filter((state) => isLive(state));
  const ends = machine.states.filter((state) => !isLive(state)).sort((a, b) => endOrder[a.phase] - endOrder[b.phase]);
  const columns = spread(live, rank);
  const lastColumn = Math.max(0, ...columns.values()) + 1;
  const columnOf = (name: string) => columns.get(name) ?? (name === ends[0]?.name ? lastColumn : undefined);
  const arches = countArches(live, columnOf);
  const top = arches === 0 ? pad : pad + archHeight(arches) * 0.75 + 16;
  const place = (state: State): PlacedState => ({
    name: state.name,
    phase: state.phase,
    stage: state.stage,
    x: pad + (columns.get(state.name) ?? lastColumn) * (nodeWidth + gapX),
    y: top + (isLive(state) ? 0 : ends.indexOf(state) * rowY),
  });
  const placed = machine.states.map(place);
  const byName = new Map(placed.map((state) => [state.name, state]));
  return {
    width: pad * 2 + lastColumn * (nodeWidth + gapX) + nodeWidth,
    height: top + Math.max(1, ends.length) * rowY - (rowY - nodeHeight) + pad,
    states: placed,
    arrows: machine.states.flatMap((state) => arrowsOf(state, byName, top)),
  };
}

function isLive(state: State): boolean {
  return state.phase === 'waiting' || state.phase === 'active';
}

/** Longest way from the start, counting only arrows that do not lead back. */
function rankStates(machine: Pipeline['machine'], states: ReadonlyMap<string, State>): Map<string, number> {
  const rank = new Map<string, number>();
  const walk = (name: string, depth: number, path: ReadonlySet<string>) => {
    if ((rank.get(name) ?? -1) >= depth) return;
    rank.set(name, depth);
    for (const next of Object.values(states.get(name)?.on ?? {}))
      if (!path.has(next) && next !== name) walk(next, depth + 1, new Set([...path, next]));
  };
  walk(machine.initial, 0, new Set([machine.initial]));
  return rank;
}

/** One column per live state, so that no two share a place; states the start never reaches come last. */
function spread(live: readonly State[], rank: ReadonlyMap<string, number>): Map<string, number> {
  const sorted = [...live].sort((a, b) => (rank.get(a.name) ?? 99) - (rank.get(b.name) ?? 99));
  return new Map(sorted.map((state, column) => [state.name, column]));
}

/** How far the widest arch over the line reaches, in columns: back to an earlier state, or forward past one, the first end included. */
function countArches(live: readonly State[], columnOf: (name: string) => number | undefined): number {
  const spans = live.flatMap((state) =>
    Object.values(state.on).map((to) => (columnOf(to) ?? Number.NaN) - (columnOf(state.name) ?? 0)),
  );
  return Math.max(0, ...spans.filter((span) => span <= 0 || span > 1).map((span) => Math.max(1, Math.abs(span))));
}

function archHeight(columns: number): number {
  return 12 + archY * 0.45 * Math.min(3, Math.max(1, columns));
}

function arrowsOf(state: State, byName: ReadonlyMap<string, PlacedState>, top: number): PlacedArrow[] {
  const from = byName.get(state.name);
  const targets = new Map<string, string[]>();
  for (const [event, to] of Object.entries(state.on)) targets.set(to, [...(targets.get(to) ?? []), event]);
  return [...targets].flatMap(([name, events]) => {
    const to = byName.get(name);
    return from && to ? [arrow(from, to, events.join(' / '), top)] : [];
  });
}

function arrow(from: PlacedState, to: PlacedState, events: string, top: number): PlacedArrow {
  const base = { from: from.name, to: to.name, events };
  const columns = Math.round((to.x - from.x) / (nodeWidth + gapX));
  const middle = from.y + nodeHeight / 2;
  if (to.y === from.y && columns === 1) {
    const start = from.x + nodeWidth;
    return {
      ...base,
      kind: 'forward',
      path: `M${start} ${middle}H${to.x - 5}`,
      label: { x: (start + to.x) / 2, y: middle - 6 },
    };
  }
  if (to.y === from.y) return { ...base, ...arch(from, to, columns, top) };
  const drop = from.x + nodeWidth / 2;
  const rail = to.y + nodeHeight / 2;
  return {
    ...base,
    kind: 'ending',
    path: `M${drop} ${from.y + nodeHeight}V${rail - 8}q0 8 8 8H${to.x - 5}`,
    label: { x: drop + 10, y: rail - 6 },
  };
}

function arch(
  from: PlacedState,
  to: PlacedState,
  columns: number,
  top: number,
): Pick<PlacedArrow, 'kind' | 'path' | 'label'> {
  const back = columns <= 0;
  const startX = from.x + nodeWidth / 2 + (back ? -14 : 14);
  const endX = to.x + nodeWidth / 2 + (back ? 14 : -14);
  const height = archHeight(Math.abs(columns));
  const y = top - height;
  return {
    kind: back ? 'back' : 'forward',
    path: `M${startX} ${top}C${startX} ${y} ${endX} ${y} ${endX} ${top - 5}`,
    label: { x: (startX + endX) / 2, y: top - height * 0.75 - 4 },
  };
}

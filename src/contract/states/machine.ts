// A pipeline's machine, declared once as a table readable in ten seconds. Types, the guard's rows in the database, the
// status→phase map, docs/states.md and the console's diagram all come from this declaration.

/** What the engine may do with a run: see docs/ARCHITECTURE.md, "One ledger". */
export type Phase = 'waiting' | 'active' | 'done' | 'failed' | 'dead';

export interface State<Name extends string> {
  readonly phase: Phase;
  /** The stage this state waits for or runs; terminal states have none. */
  readonly stage?: string;
  /**
   * Where an event leads. The engine itself sends claim (a worker takes the run), release (it goes back to its waiting state: takeover,
   * drain, retry), retry (like release, for machines that show a planned retry as a state of its own), fail (ends it), dead (ends it as a
   * dead letter) and cancel (like fail, for machines that show a cancelled run as a state of its own). Stages send the rest (`pass`,
   * `complete`, `part`, …) by returning them.
   */
  readonly on?: Readonly<Record<string, Name>>;
}

export interface Machine<Name extends string = string> {
  readonly pipeline: string;
  /** Raised when states or arrows are added, so that old and new processes can run together. */
  readonly version: number;
  readonly initial: Name;
  readonly states: Readonly<Record<Name, State<Name>>>;
  /** For docs/states.md: states and arrows that the pipeline's specification does not have, and why they are there. */
  readonly beyond: readonly string[];
}

/** Declares a machine. The first state is the one a new run starts in. A target that is not a state does not compile. */
export function machine<
  const S extends Record<string, { phase: Phase; stage?: string; on?: Record<string, NoInfer<keyof S & string>> }>,
>(pipeline: string, states: S, version = 1, beyond: readonly string[] = []): Machine<keyof S & string> {
  const names = Object.keys(states) as (keyof S & string)[];
  const initial = names[0];
  if (initial === undefined) throw new Error(`machine ${pipeline} has no states`);
  for (const name of names) checkState(pipeline, name, states[name] as State<string>, states);
  if (states[initial]?.phase !== 'waiting') throw new Error(`machine ${pipeline}: "${initial}" must be waiting`);
  return { pipeline, version, initial, states, beyond };
}

function checkState(pipeline: string, name: string, state: State<string>, states: Record<string, unknown>): void {
  const live = state.phase === 'waiting' || state.phase === 'active';
  const fault = (why: string) => new Error(`machine ${pipeline}: state "${name}" ${why}`);
  if (live && state.stage === undefined) throw fault('is live but names no stage');
  if (!live && Object.keys(state.on ?? {}).length > 0) throw fault('is terminal but has arrows');
  if (state.phase === 'waiting' && !state.on?.claim) throw fault('waits but cannot be claimed');
  if (state.phase === 'waiting' && !state.on?.fail && !state.on?.cancel)
    throw fault('waits but cannot be cancelled (no "fail" or "cancel")');
  if (state.phase === 'active' && !state.on?.release) throw fault('is active but cannot be released');
  if (state.phase === 'active' && !state.on?.fail) throw fault('is active but cannot fail');
  for (const target of Object.values(state.on ?? {}))
    if (!(target in states)) throw fault(`points at unknown "${target}"`);
}

/** The event that ends a cancelled run of this state. */
export function cancelEvent(machine: Machine, from: string): 'cancel' | 'fail' {
  return target(machine, from, 'cancel') === undefined ? 'fail' : 'cancel';
}

/** The state an event leads to, or undefined when the arrow does not exist. */
export function target(machine: Machine, from: string, event: string): string | undefined {
  return machine.states[from]?.on?.[event];
}

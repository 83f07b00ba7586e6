// The question of a stage, the choices that it offers, and the answer that it receives. Imports nothing.

export interface Choice {
  readonly choice: string;
  /** What a person clicks. */
  readonly label: string;
  /** Ends the run as failed. */
  readonly refuses?: boolean;
  /** What the stage needs to act on it. */
  readonly data?: unknown;
}

export interface Question {
  /** Of the error catalogue; with it the run fails when it is refused or nobody answers. */
  readonly code: string;
  readonly text: string;
  readonly details: unknown;
  readonly choices: readonly Choice[];
}

/** What the stage is told when it goes on. */
export interface Answer {
  readonly choice: string;
  readonly data: unknown;
  readonly details: unknown;
}

// How files of a pipeline go in from the command line: the options of `millrace ingest` that are its own, and what it says beside what
// every pipeline says. A pipeline that declares nothing takes files with no fields but those of --field.
import type { AnswerOf, Client } from '../../contract/api/client.ts';

type Run = AnswerOf<'runs.show'>;

export interface IngestOption {
  /** As the help shows them: "--vendor <name>". Without a value the field becomes "true". */
  readonly flags: string;
  readonly about: string;
  /** The form field it becomes. */
  readonly field: string;
  /** What is sent when nobody gives it. */
  absent?(file: { readonly changedAt: Date }): string;
}

export interface Submitted {
  readonly runId: string;
  /** What --json answers when nobody follows the run. */
  readonly answer: object;
  /** What is said instead of where the run is found. */
  readonly line?: string;
  /** What people call it, where that is not the run's id. */
  readonly called?: string;
  /** There is nothing to follow: another run has this file. */
  readonly isOver?: boolean;
  /** An earlier one of exactly these bytes. */
  readonly sameBytesAs?: string | undefined;
}

/** A pipeline that stores nothing of a file with too many refused rows. */
export interface Gate {
  /** How many of a hundred rows must be valid. */
  readonly percent: number;
  /** What it decided when it did not simply let the file pass, and what to do about it. */
  describe(run: Pick<Run, 'run_id' | 'receipt' | 'phase'> & Partial<Pick<Run, 'input'>>): string | undefined;
}

export interface IngestWay {
  readonly options?: readonly IngestOption[];
  /** Lines of the help. */
  readonly examples?: readonly string[];
  /** Default: POST /v1/uploads. */
  submit?(call: Client, form: FormData): Promise<Submitted>;
  readonly gate?: Gate;
}

export interface IngestWays {
  readonly byPipeline: Readonly<Record<string, IngestWay>>;
  /** The pipeline that files are for when nobody names one. */
  readonly byDefault: string;
}

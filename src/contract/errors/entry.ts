// The shape of one catalogued error. The engine decides what happens next by `kind` alone; people read `message` and `next`.

/** What a kind means, and the only thing it means. */
export const errorKinds = {
  input: 'the row, file or request is wrong; Millrace refuses it and never retries it',
  config: 'the configuration is wrong; work stops until a person changes it',
  auth: 'a credential was refused; work stops and becomes a dead letter where the pipeline has one',
  transient: 'something outside failed; the work is tried again with growing pauses',
  rate_limited:
    'a service asked Millrace to slow down, or there is no room; the work waits as long as it is told to, which costs no attempt',
  lost: 'the worker died or went silent; another one takes the work over',
  conflict: 'the data has changed since it was read; read it again before you act',
  cancelled: 'a person ended it',
  bug: 'Millrace itself is at fault; an alert is raised',
} as const;

export type ErrorKind = keyof typeof errorKinds;

export interface ErrorEntry {
  readonly kind: ErrorKind;
  /** The HTTP status the API answers with. */
  readonly status: number;
  /** One sentence: what happened, to which id. `{name}` marks a parameter. */
  readonly message: string;
  /** What the reader can do now. */
  readonly next: string;
}

export function defineErrors<const T extends Record<string, ErrorEntry>>(entries: T): T {
  return entries;
}

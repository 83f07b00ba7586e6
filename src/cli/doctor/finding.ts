// What the doctor says of one thing.
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; only where something is to be done. */
  readonly fix?: string;
}

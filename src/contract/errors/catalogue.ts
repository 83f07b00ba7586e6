// Every error Millrace can name, in one table. docs/errors.md is generated from it.

import { pipelineErrors } from '../pipelines/all.ts';
import { accessErrors } from './access-errors.ts';
import { alertErrors } from './alert-errors.ts';
import { cliErrors } from './cli-errors.ts';
import { engineErrors } from './engine-errors.ts';
import type { ErrorEntry } from './entry.ts';
import { httpErrors } from './http-errors.ts';
import { intakeErrors } from './intake-errors.ts';
import { outboundErrors } from './outbound-errors.ts';
import { platformErrors } from './platform-errors.ts';
import { tabularErrors } from './tabular-errors.ts';

export const catalogue = {
  ...platformErrors,
  ...engineErrors,
  ...tabularErrors,
  ...accessErrors,
  ...httpErrors,
  ...intakeErrors,
  ...cliErrors,
  ...pipelineErrors,
  ...outboundErrors,
  ...alertErrors,
};

export type ErrorCode = keyof typeof catalogue;

/** A code of a pipeline that does not come with Millrace: registered at start, so that the table above stays closed. */
export type OwnErrorCode = `x.${string}.${string}`;
export type AnyErrorCode = ErrorCode | OwnErrorCode;

const registered = new Map<string, ErrorEntry>();
const unregistered: ErrorEntry = {
  kind: 'bug',
  status: 500,
  message: 'A pipeline named an error that it has not declared.',
  next: 'Declare the code in the errors of its kit.',
};

/** Its codes are `x.<pipeline>.<word>`. Once more with the same pipeline, they are replaced. */
export function registerErrors(pipeline: string, entries: Readonly<Record<string, ErrorEntry>>): void {
  for (const [word, entry] of Object.entries(entries)) {
    if (!/^[a-z][a-z0-9_]{0,40}$/.test(word)) throw new Error(`"${word}" cannot be a part of an error code`);
    registered.set(`x.${pipeline}.${word}`, entry);
  }
}

/** All of them, in the order of their codes. */
export function listErrors(): (readonly [code: string, entry: ErrorEntry])[] {
  const own: (readonly [string, ErrorEntry])[] = Object.entries(catalogue);
  return [...own, ...registered].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function isErrorCode(code: string): code is AnyErrorCode {
  return Object.hasOwn(catalogue, code) || registered.has(code);
}

export function entryOf(code: AnyErrorCode): ErrorEntry {
  if (Object.hasOwn(catalogue, code)) return catalogue[code as ErrorCode];
  return registered.get(code) ?? unregistered;
}

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

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code);
}

export function entryOf(code: ErrorCode): ErrorEntry {
  return catalogue[code];
}

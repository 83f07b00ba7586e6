// The next step of an error of which only code and sentence were kept: its parameters are read back out of the sentence.
import { entryOf, isErrorCode } from './catalogue.ts';
import { type ErrorParams, fill } from './millrace-error.ts';

const placeholder = /\{(\w+)\}/;

/** Null for a code we do not know, or when the advice needs what the sentence does not tell. */
export function storedAdvice(code: string, text: string | null): string | null {
  if (!isErrorCode(code)) return null;
  const { message, next } = entryOf(code);
  const advice = fill(next, text === null ? {} : readBack(message, text));
  return placeholder.test(advice) ? null : advice;
}

function readBack(template: string, text: string): ErrorParams {
  const seen = new Set<string>();
  // Every second part is the name of a parameter.
  const pattern = template.split(placeholder).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const again = seen.has(part);
    seen.add(part);
    return again ? `\\k<${part}>` : `(?<${part}>.+?)`;
  });
  return { ...new RegExp(`^${pattern.join('')}$`, 's').exec(text)?.groups };
}

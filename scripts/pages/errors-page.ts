// docs/errors.md: the catalogue of errors, as a person reads it.
import { catalogue } from '../../src/contract/errors/catalogue.ts';
import { type ErrorEntry, errorKinds } from '../../src/contract/errors/entry.ts';
import { code, generatedNote, table } from './markdown.ts';

export function errorsPage(): string {
  const entries = (Object.entries(catalogue) as [string, ErrorEntry][]).sort(([a], [b]) => (a < b ? -1 : 1));
  const kinds = Object.entries(errorKinds).map(([kind, meaning]) => [code(kind), meaning]);
  const rows = entries.map(([name, { kind, status, message, next }]) => [
    code(name),
    code(kind),
    String(status),
    escapeBraces(message),
    escapeBraces(next),
  ]);
  return `${generatedNote}
# Errors

Every error Millrace names has a code that does not change. HTTP answers carry it as \`code\`, the command line prints it, logs
and events show it. Source: \`src/contract/errors/\`.

## Kinds

What happens next is decided by the kind alone.

${table(['kind', 'meaning'], kinds)}

## Codes

Words in braces are filled in.

${table(['code', 'kind', 'HTTP', 'what happened', 'what to do'], rows)}
`;
}

// Some renderers read {word} as their own syntax.
function escapeBraces(text: string): string {
  return text.replace(/\{(\w+)\}/g, '\\{$1\\}');
}

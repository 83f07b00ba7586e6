// Which keys belong to a source: by prefix, patterns, and what is no file.
import picomatch from 'picomatch';

export interface Scope {
  readonly prefix: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Patterns are tried on the whole key, and those without a slash also on its last part: "*.pdf" means every PDF. */
export function belongsTo({ prefix, include, exclude }: Scope): (key: string) => boolean {
  const isIncluded = include.length === 0 ? () => true : anyOf(include);
  const isExcluded = exclude.length === 0 ? () => false : anyOf(exclude);
  // A key that ends in a slash is how S3 consoles make folders.
  return (key) => key.startsWith(prefix) && !key.endsWith('/') && isIncluded(key) && !isExcluded(key);
}

/** What is wrong with a pattern, as a sentence. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    picomatch(pattern, patternOptions, true);
    return undefined;
  } catch (error) {
    return `"${pattern}" is not a pattern: ${(error as Error).message}`;
  }
}

/** Of every pattern. */
export const patternOptions = { dot: false, nocase: false, nonegate: true, strictSlashes: true };

function anyOf(patterns: readonly string[]): (key: string) => boolean {
  const whole = patterns.map((pattern) => picomatch(pattern, patternOptions));
  const last = patterns
    .filter((pattern) => !pattern.includes('/'))
    .map((pattern) => picomatch(pattern, patternOptions));
  return (key) => {
    const name = key.slice(key.lastIndexOf('/') + 1);
    return whole.some((fits) => fits(key)) || last.some((fits) => fits(name));
  };
}

/** The title of what an object becomes. */
export function titleOf(pattern: string | null, key: string): string | undefined {
  if (pattern === null) return undefined;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const parts: Readonly<Record<string, string>> = { name, stem: name.replace(/\.[^.]+$/, ''), path: key };
  return pattern.replace(/\{(name|stem|path)\}/g, (_, part: string) => parts[part] ?? '');
}

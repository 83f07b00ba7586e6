// Templates and paths of the processor `http`: {{column}} in a URL or body, and a.b[0].c into an answer. No code in either.

const place = /\{\{\s*([^{}]{1,300}?)\s*\}\}/g;

/** Names a template asks for. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(place)].map(([, name = '']) => name);
}

/** Values stand in a URL encoded: none can leave its place in the path or query. */
export function fillUrl(template: string, valueIn: (name: string) => string): string {
  return template.replace(place, (_, name: string) => encodeURIComponent(valueIn(name)));
}

/** Strings of a JSON body; a string that is nothing but one place stays a string. */
export function fillBody(template: unknown, valueIn: (name: string) => string): unknown {
  if (typeof template === 'string') return template.replace(place, (_, name: string) => valueIn(name));
  if (Array.isArray(template)) return template.map((each) => fillBody(each, valueIn));
  if (typeof template === 'object' && template !== null)
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillBody(value, valueIn)]));
  return template;
}

const pathPattern = /^\$?(?:\.?[A-Za-z_][\w-]*|\[\d{1,6}\])(?:\.[A-Za-z_][\w-]*|\[\d{1,6}\])*$/;

export function isPath(path: string): boolean {
  return path === '$' || pathPattern.test(path);
}

/** Undefined where the answer has nothing there. Own properties only. */
export function valueAt(answer: unknown, path: string): unknown {
  const steps = path.replace(/^\$/, '').match(/[A-Za-z_][\w-]*|\[\d+\]/g) ?? [];
  return steps.reduce<unknown>((at, step) => {
    if (typeof at !== 'object' || at === null) return undefined;
    const key = step.startsWith('[') ? step.slice(1, -1) : step;
    return Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }, answer);
}

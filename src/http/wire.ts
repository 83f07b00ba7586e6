// Database rows on their way out: times become ISO text. Everything else stays as it is.

export type Wire<T> = { [K in keyof T]: WireValue<T[K]> };
type WireValue<V> = V extends Date ? string : V;

export function wire<T extends object>(row: T): Wire<T> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) out[name] = value instanceof Date ? value.toISOString() : value;
  return out as Wire<T>;
}

export function wirePage<T extends object>(page: {
  data: readonly T[];
  next: string | null;
}): {
  data: Wire<T>[];
  next: string | null;
} {
  return { data: page.data.map(wire), next: page.next };
}

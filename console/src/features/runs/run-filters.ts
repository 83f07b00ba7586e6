// The filters of the runs list as they stand in the address. Whatever is not understood is left out, never guessed.
export const phases = ['waiting', 'active', 'done', 'failed', 'dead'] as const;
export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 } as const;

export type Span = keyof typeof spans;

export interface RunFilters {
  readonly phase?: string;
  readonly pipeline?: string;
  readonly source?: string;
  readonly q?: string;
  readonly span?: Span;
}

export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const phase = several(search.phase).filter((each) => phases.some((known) => known === each));
  const span = Object.hasOwn(spans, String(search.span)) ? (String(search.span) as Span) : undefined;
  return {
    ...(phase.length > 0 && phase.length < phases.length ? { phase: phase.join(',') } : {}),
    ...word('pipeline', search.pipeline),
    ...word('source', search.source),
    ...word('q', search.q),
    ...(span ? { span } : {}),
  };
}

/** What the API is asked. The span is counted back from the full minute, so that the same list has the same key for a while. */
export function toApiFilter(
  { span, ...rest }: RunFilters,
  nowMs: number,
): Omit<RunFilters, 'span'> & { since?: string } {
  if (!span) return rest;
  return { ...rest, since: new Date(Math.floor(nowMs / 60_000) * 60_000 - spans[span]).toISOString() };
}

export function togglePhase(filters: RunFilters, phase: string): RunFilters {
  const chosen = new Set(several(filters.phase));
  if (!chosen.delete(phase)) chosen.add(phase);
  return readRunFilters({ ...filters, phase: [...chosen].join(',') });
}

export function isFiltered(filters: RunFilters): boolean {
  return Object.keys(filters).length > 0;
}

function several(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').filter(Boolean) : [];
}

/** The router reads "?q=812" as a number; a search term is text whatever it looks like. */
function word(name: string, value: unknown): Record<string, string> {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 200) : '';
  return text ? { [name]: text } : {};
}

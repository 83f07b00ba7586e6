// Which judgments are shown, as it stands in the address.
export interface JudgmentSearch {
  readonly case_number?: string;
  readonly county?: string;
  readonly plaintiff_id?: string;
}

/** The router reads "?case_number=812" as a number; a case number is text whatever it looks like. */
export function readJudgmentSearch(search: Record<string, unknown>): JudgmentSearch {
  const plaintiff = text(search.plaintiff_id);
  return {
    ...named('case_number', text(search.case_number)),
    ...named('county', text(search.county)),
    ...named('plaintiff_id', plaintiff && /^\d{1,15}$/.test(plaintiff) ? plaintiff : undefined),
  };
}

function named(name: string, value: string | undefined): Record<string, string> {
  return value ? { [name]: value } : {};
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim().slice(0, 200) : undefined;
}

// A list of words as a person types it: commas between them, quotes around a word that has one.

export function wordsOf(words: readonly string[]): string {
  return words.map((word) => (/[,"]|^\s|\s$/.test(word) ? `"${word.replaceAll('"', '""')}"` : word)).join(', ');
}

export function wordsIn(text: string): string[] {
  const found = text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g);
  const words = [...found].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain ?? '').trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

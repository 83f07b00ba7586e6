// Names and cells come from files and may hold characters that lie: overrides that turn text round ("gpj.exe" for "exe.jpg"),
// control characters, invisible ones. React already keeps markup inert; this file replaces characters that mislead a reader.
const liars = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** The text with every such character replaced by a visible sign. */
export function inertText(text: string): string {
  return text.replace(liars, (character) => (character === '\n' || character === '\t' ? ' ' : '\ufffd'));
}

// The first words of notes below a table, in the languages of exports.

const beginnings =
  /^\s*(?:[*†‡§©#]|\(?[\da-z¹²³]\)\s|(?:sources?|notes?|footnotes?|legend|key|generated|created|exported|printed|downloaded|retrieved|last updated|updated|as of|copyright|disclaimer|provisional|data (?:from|source|provided)|end of (?:report|file|data)|report (?:generated|created|run)|quellen?|stand|erstellt|hinweise?|anmerkung(?:en)?|legende|fuentes?|notas?|fonti?|fontes?|remarques?|bron|出典|注|資料)(?=[\s:.,–—-]|$))/iu;
/** "n.a. = not available", "p: provisional". */
const legend = /^\s*\S{1,6}\s*(?:=|:)\s+\p{L}/u;

/** "Page 1 of 2", as programs that print write between the rows. */
const page =
  /^\s*(?:page|seite|p[áa]gina|pagina|strona|sid[ae]|stran[ae]|страница|ページ)\s*\d+(?:\s*(?:of|von|de|di|van|sur|af|av|z|из|\/)\s*\d+)?\s*$/iu;

export function saysPage(text: string): boolean {
  return page.test(text);
}

export function saysNote(text: string): boolean {
  return beginnings.test(text) || legend.test(text);
}

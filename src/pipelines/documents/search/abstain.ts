// When a question is not answered, and how that is said: what nothing was found on, and what came closest.
import type { AbstainReason } from './answer.ts';
import type { Bar } from './bar.ts';
import type { Evidence } from './evidence.ts';
import { nothingPasses, wholeWords } from './say-why.ts';
import type { Found } from './search-documents.ts';

/** Undefined: the evidence carries an answer. */
export function reasonToAbstain(found: Found, evidence: Evidence, bar: Bar): AbstainReason | undefined {
  const { served, searched, terms } = found.retrieval;
  if (served.documents === 0)
    return { code: 'no_documents', text: 'No document is served yet, so there is nothing to answer from.' };
  if (searched.documents === 0) return { code: 'none_passes_filters', text: nothingPasses(served.documents) };
  if (terms.words.length > 0 && terms.words.every(({ isCommon }) => isCommon))
    return {
      code: 'only_common_words',
      text: 'The question has only words that occur in every document. Ask for something by name.',
    };
  if (found.hits.length === 0 || evidence.sentences.length === 0)
    return {
      code: 'nothing_found',
      text: `Nothing was found${onMissing(found)} in ${searched.documents === 1 ? 'one document' : `${searched.documents} documents`}.`,
    };
  if (evidence.score < bar.below)
    return { code: 'thin_evidence', text: `The documents do not answer this${onMissing(found)}${closest(found)}.` };
  return undefined;
}

function onMissing(found: Found): string {
  const best = found.chunks[0]?.ranked;
  const missing = found.retrieval.terms.words.filter(
    ({ isCommon, terms }) => !isCommon && !terms.some((at) => (best?.parts[at] ?? 0) > 0),
  );
  const rarest = wholeWords(missing)
    .sort((a, b) => b.idf - a.idf)
    .slice(0, 3);
  if (rarest.length === 0) return '';
  return `: nothing on ${rarest.map(({ word }) => `"${word}"`).join(', ')}`;
}

function closest(found: Found): string {
  const [hit] = found.hits;
  return hit === undefined ? '' : `; closest: ${hit.title}, ${hit.unit} ${hit.page}`;
}

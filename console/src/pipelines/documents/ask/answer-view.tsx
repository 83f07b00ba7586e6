// An answer as it was given: sentences with their citations, or a calm word that it is not in the documents.
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { count, plural } from '../../../ui/figures.ts';
import { Icon } from '../../../ui/icons.tsx';
import { inertText } from '../../../ui/inert-text.ts';
import type { AskAnswer, ShownQuery } from './asking.ts';
import { Citations, OpenCitation } from './citations.tsx';
import { Feedback } from './feedback.tsx';
import { WhyThese } from './why-these.tsx';

export function AnswerView({ asked }: { asked: ShownQuery }): ReactNode {
  const { result } = asked;
  const [open, setOpen] = useState<number>();
  const opened = result.citations.find(({ number }) => number === open);
  return (
    <article aria-label={`Answer to: ${asked.question}`} className="flex flex-col gap-4 px-4 py-3">
      <h3 dir="auto" className="text-lg wrap-anywhere">
        {inertText(asked.question)}
      </h3>
      {result.asked_as !== null && <p className="text-xs text-ink-2">asked as: {inertText(result.asked_as)}</p>}
      <Given answer={result} onOpen={setOpen} />
      <Citations citations={result.citations} onOpen={setOpen} />
      {result.reason?.code !== 'purged' && (
        <>
          <Feedback queryId={asked.query_id} rating={asked.rating} note={asked.rating_note} />
          <WhyThese hits={result.evidence} why={result.why} />
        </>
      )}
      {opened !== undefined && <OpenCitation citation={opened} onClose={() => setOpen(undefined)} />}
    </article>
  );
}

function Given({ answer, onOpen }: { answer: AskAnswer; onOpen: (number: number) => void }): ReactNode {
  if (answer.reason?.code === 'purged') return <p className="text-ink-2">{inertText(answer.reason.text)}</p>;
  return answer.status === 'answered' ? <Sentences answer={answer} onOpen={onOpen} /> : <Abstained answer={answer} />;
}

function Sentences({ answer, onOpen }: { answer: AskAnswer; onOpen: (number: number) => void }): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <p dir="auto" className="max-w-prose leading-relaxed wrap-anywhere">
        {answer.sentences.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences never move
          <span key={index} className={sentence.is_supported ? undefined : 'text-warn'}>
            {inertText(sentence.text)}
            {sentence.citations.map((number) => (
              <button
                key={number}
                type="button"
                aria-label={`Citation ${number}`}
                onClick={() => onOpen(number)}
                className="link figures mx-0.5 align-super text-xs"
              >
                [{number}]
              </button>
            ))}
            {!sentence.is_supported && <span className="text-xs"> (no citation supports this)</span>}{' '}
          </span>
        ))}
      </p>
      <p className="text-xs text-ink-2">
        {answer.written_by.model === null
          ? 'Sentences quoted from the documents.'
          : `Written by ${inertText(answer.written_by.model)}; every citation was checked against the documents.`}
      </p>
    </div>
  );
}

function Abstained({ answer }: { answer: AskAnswer }): ReactNode {
  const { searched } = answer.why;
  return (
    <div className="flex max-w-prose flex-col gap-2 rounded-md border border-line bg-sunken px-4 py-3">
      <p className="flex items-center gap-2 font-medium">
        <Icon name="search" className="text-ink-2" /> Not in your documents
      </p>
      {answer.reason !== null && <p className="wrap-anywhere">{inertText(answer.reason.text)}</p>}
      <p className="text-sm text-ink-2">
        {plural(searched.documents, 'document')} with {plural(searched.chunks, 'chunk')} searched
        {answer.confidence.score > 0 &&
          `; the best evidence reached ${answer.confidence.score.toFixed(2)} of the ${answer.confidence.bar.toFixed(2)} an answer needs`}
        .
      </p>
      <LookedFor words={answer.why.words} />
      {answer.reason?.code === 'no_documents' ? (
        <Link to="/data/documents" search={{}} className="link w-fit">
          Upload documents
        </Link>
      ) : (
        answer.evidence.length > 0 && (
          <div>
            <p className="text-xs text-ink-2">Closest:</p>
            <ul className="list-disc pl-5 text-sm">
              {answer.evidence.slice(0, 3).map((hit) => (
                <li key={hit.chunk_id}>
                  <Link
                    to="/data/documents/$docId"
                    params={{ docId: hit.doc_id }}
                    search={{ version: hit.version, page: hit.page }}
                    className="link wrap-anywhere"
                  >
                    {inertText(hit.title)}, {hit.unit} {count(hit.page)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      )}
    </div>
  );
}

/** The words that were looked for and where they stand: which of them the documents do not have is what is missing. */
function LookedFor({ words }: { words: AskAnswer['why']['words'] }): ReactNode {
  const telling = words.filter((word) => !word.is_common);
  if (telling.length === 0) return null;
  return (
    <p className="text-sm text-ink-2 wrap-anywhere">
      Looked for:{' '}
      {telling
        .map(({ word, chunks, read_as: readAs }) => {
          const read = readAs === null ? '' : ` read as “${inertText(readAs)}”`;
          return `“${inertText(bare(word))}”${read} (${chunks === 0 ? 'nowhere' : `in ${plural(chunks, 'chunk')}`})`;
        })
        .join(', ')}
      .
    </p>
  );
}

function bare(word: string): string {
  return word.replaceAll(/^\p{P}+|\p{P}+$/gu, '');
}

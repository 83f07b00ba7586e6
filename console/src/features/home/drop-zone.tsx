// The one large place to drop files. A file that is obvious starts at once; for the others one question is asked.

import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { numbersTo } from '../../ui/numbers-to.ts';
import { decodeHead, guessKind } from './guess-kind.ts';
import { type Kind, kindsOf } from './kinds.ts';

const headBytes = 64 * 1024;

interface Props {
  readonly accepts: string;
  readonly kinds: readonly Kind[];
  readonly onFile: (file: File, kind: Kind) => void;
}

type Choice = Kind | 'guess';

export function DropZone({ accepts, kinds, onFile }: Props): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const [over, setOver] = useState(false);
  const [choice, setChoice] = useState<Choice>('guess');
  const [asking, setAsking] = useState<readonly File[]>([]);

  const take = async (files: readonly File[]) => {
    for (const file of files) {
      const kind =
        choice === 'guess' ? await guess(file, kindsOf((await client.ensureQueryData(pipelinesQuery)).data)) : choice;
      if (kind) onFile(file, kind);
      else setAsking((waiting) => [...waiting, file]);
    }
  };
  const answer = (file: File, kind: Kind | undefined) => {
    setAsking((waiting) => waiting.filter((each) => each !== file));
    if (kind) onFile(file, kind);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take([...event.dataTransfer.files]);
  };
  const paint = over ? 'border-water bg-water-soft' : 'border-line-strong bg-surface';
  return (
    <div className="flex flex-col gap-3">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a convenience; the button inside does the same by keyboard */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={`relative flex min-h-64 flex-col items-center justify-center gap-4 overflow-hidden rounded-xl border-2 border-dashed px-6 py-10 text-center transition-colors ${paint}`}
      >
        <Race flowing={over} />
        <p className="relative text-2xl font-semibold tracking-tight text-balance">Drop a {accepts}</p>
        <p className="relative max-w-lg text-ink-2 text-balance">
          It becomes a run at once. You see where every row went, and can fix and replay those that were refused.
        </p>
        <div className="relative flex flex-wrap items-center justify-center gap-3">
          <Button look="main" icon="drop" onClick={() => input.current?.click()}>
            Choose files
          </Button>
          <input
            ref={input}
            type="file"
            multiple
            className="hidden"
            onChange={(event) => {
              void take([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <KindChoice kinds={kinds} choice={choice} onChoose={setChoice} />
        </div>
      </div>
      {asking.map((file) => (
        <AskKind
          key={`${file.name}:${file.size}:${file.lastModified}`}
          file={file}
          kinds={kinds}
          onAnswer={(kind) => answer(file, kind)}
        />
      ))}
    </div>
  );
}

async function guess(file: File, kinds: readonly Kind[]): Promise<Kind | undefined> {
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  return guessKind(decodeHead(head), file.name, kinds)?.kind;
}

function KindChoice({
  kinds,
  choice,
  onChoose,
}: {
  kinds: readonly Kind[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
}): ReactNode {
  const name = useId();
  const choices: readonly (readonly [string, Choice, string])[] = [
    ['guess', 'guess', 'Guess what it is'],
    ...kinds.map((kind) => [kind.name, kind, kind.title] as const),
  ];
  return (
    <fieldset className="inline-flex flex-wrap justify-center rounded-md border border-line-strong bg-raised p-0.5">
      <legend className="sr-only">What the file is</legend>
      {choices.map(([key, value, label]) => (
        <label
          key={key}
          className="cursor-pointer rounded px-2 py-1 text-xs whitespace-nowrap text-ink-2 has-checked:bg-water-soft has-checked:font-medium has-checked:text-water-strong has-focus-visible:outline-2 has-focus-visible:outline-water"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={choice === value}
            onChange={() => onChoose(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

function AskKind({
  file,
  kinds,
  onAnswer,
}: {
  file: File;
  kinds: readonly Kind[];
  onAnswer: (kind: Kind | undefined) => void;
}): ReactNode {
  return (
    <fieldset
      aria-label={`Kind of ${inertText(file.name)}`}
      className="card flex flex-wrap items-center gap-3 border-warn! px-4 py-3"
    >
      <p className="min-w-0 flex-1">
        What is <strong className="break-all">{inertText(file.name)}</strong>? Its columns do not say.
      </p>
      {kinds.map((kind) => (
        <Button key={kind.name} onClick={() => onAnswer(kind)}>
          {kind.title}
        </Button>
      ))}
      <Button look="quiet" icon="cross" aria-label="Leave this file out" onClick={() => onAnswer(undefined)} />
    </fieldset>
  );
}

/** The race itself: lines of water behind the words. They run while a file hovers. */
function Race({ flowing }: { flowing: boolean }): ReactNode {
  return (
    <svg
      className={`pointer-events-none absolute inset-0 size-full text-water ${flowing ? 'opacity-50' : 'opacity-10'} transition-opacity`}
      viewBox="0 0 1000 300"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {numbersTo(7).map((line) => (
        <path
          key={line}
          d={`M-20 ${30 + line * 40} C 160 ${5 + line * 44}, 340 ${60 + line * 36}, 500 ${32 + line * 40} S 840 ${2 + line * 44}, 1020 ${36 + line * 39}`}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.2}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

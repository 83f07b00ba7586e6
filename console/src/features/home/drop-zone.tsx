// The one large place to drop files. The upload of a file starts at once if its kind is obvious; otherwise the tray asks one question.

import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { numbersTo } from '../../ui/numbers-to.ts';
import type { Kind } from '../tray/kind.ts';
import { useDrop } from '../tray/use-drop.ts';

interface Props {
  readonly accepts: string;
  readonly kinds: readonly Kind[];
}

type Choice = Kind | 'guess';

export function DropZone({ accepts, kinds }: Props): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [choice, setChoice] = useState<Choice>('guess');
  const drop = useDrop();
  const take = (files: readonly File[]) => drop(files, choice === 'guess' ? undefined : choice);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    // The window would take them a second time.
    event.stopPropagation();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  const paint = over ? 'border-water bg-water-soft' : 'border-line-strong bg-surface';
  return (
    <div className="flex flex-col gap-3">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a convenience; the button inside does the same by keyboard */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          event.stopPropagation();
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
              take([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <KindChoice kinds={kinds} choice={choice} onChoose={setChoice} />
        </div>
      </div>
    </div>
  );
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

// Controls that override a detected fact: a choice from a list, or a short list of words.
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { wordsIn, wordsOf } from './words.ts';

export function Choose({
  label,
  value,
  options,
  busy,
  onChoose,
}: {
  label: string;
  value: string | null;
  options: readonly (readonly [string, string])[];
  busy: boolean;
  onChoose: (value: string) => void;
}): ReactNode {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      disabled={busy}
      onChange={(event) => onChoose(event.target.value)}
      className="control min-h-7! max-w-44 text-xs!"
    >
      {value === null && <option value="">not detected</option>}
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Words with commas between them. Sent with Enter or the button, so that a word half typed changes nothing. */
export function ChooseWords({
  label,
  words,
  busy,
  onChoose,
}: {
  label: string;
  words: readonly string[];
  busy: boolean;
  onChoose: (words: string[]) => void;
}): ReactNode {
  const shown = wordsOf(words);
  const [text, setText] = useState(shown);
  return (
    <form
      className="flex w-full items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(wordsIn(text));
      }}
    >
      <input
        aria-label={label}
        value={text}
        disabled={busy}
        placeholder="none; commas between words"
        onChange={(event) => setText(event.target.value)}
        className="control figures min-h-7! min-w-0 flex-1 text-xs!"
      />
      {text !== shown && (
        <Button small type="submit" icon="check" aria-label={`Set: ${label}`}>
          set
        </Button>
      )}
    </form>
  );
}

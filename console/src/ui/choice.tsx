import { type ReactNode, useId } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  /** Value and words of each. */
  readonly options: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
  readonly className?: string;
}

/** A labelled choice of one. */
export function Choice({ label, value, options, onChoose, className = '' }: Props): ReactNode {
  const id = useId();
  return (
    <div className={`flex flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="text-xs font-medium text-ink-2">
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)} className="control min-h-9">
        {options.map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

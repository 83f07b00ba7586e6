// The detected facts of a file, each with its certainty and its reason; a person can override each.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Choose, ChooseWords } from './choices.tsx';
import { headerKey, headerLines, headerOptions } from './header-lines.ts';
import type { Overrides } from './override-reading.ts';
import type { Reading } from './show-reading.ts';

const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1250',
  'windows-1251',
  'shift_jis',
  'euc-kr',
  'gb18030',
  'big5',
];
const delimiters: readonly (readonly [string, string])[] = [
  [',', 'comma ,'],
  [';', 'semicolon ;'],
  ['\t', 'tab ⇥'],
  ['|', 'pipe |'],
];
const quotes: readonly (readonly [string, string])[] = [
  ['"', 'double "'],
  ["'", "single '"],
  ['', 'none'],
];
const escapes = [
  ['double', 'doubled ""'],
  ['backslash', 'backslash \\"'],
] as const;
const decimals = [
  ['.', '1,234.56'],
  [',', '1.234,56'],
] as const;
const dateOrders = [
  ['ymd', '2026-02-15'],
  ['dmy', '15/02/2026'],
  ['mdy', '02/15/2026'],
] as const;
const sureness = { certain: '●●●', likely: '●●○', guess: '●○○' } as const;

interface Props {
  readonly reading: Reading;
  readonly busy: boolean;
  readonly onOverride: (overrides: Overrides) => void;
}

export function ReadingFacts(props: Props): ReactNode {
  const { reading, busy, onOverride } = props;
  return (
    <dl className="divide-y divide-line">
      <Fact name="Format" detected={reading.format}>
        <span className="figures">{reading.format.value.toUpperCase()}</span>
      </Fact>
      <TextFacts {...props} />
      <PlaceFacts {...props} />
      <ValueFacts {...props} />
      <WordsFact
        name="Taken as empty"
        label="What is taken as empty"
        detected={reading.empty_markers}
        busy={busy}
        onChoose={(empty_markers) => onOverride({ empty_markers })}
      />
      <WordsFact
        name="Total rows"
        label="Words that begin a total row"
        detected={reading.total_words}
        busy={busy}
        onChoose={(total_words) => onOverride({ total_words })}
      />
      {reading.warnings.map((warning) => (
        <Warning key={`${warning.code} ${warning.column}`} {...warning} />
      ))}
    </dl>
  );
}

/** How bytes become cells. */
function TextFacts({ reading, busy, onOverride }: Props): ReactNode {
  const { encoding, delimiter, quote, escape: escaped } = reading;
  return (
    <>
      <ChoiceFact
        name="Encoding"
        detected={encoding}
        value={encoding.value}
        busy={busy}
        options={withCurrent(
          encodings.map((each) => [each, each] as const),
          encoding.value,
        )}
        onChoose={(chosen) => onOverride({ encoding: chosen })}
      />
      {reading.format.value === 'csv' && (
        <>
          <ChoiceFact
            name="Delimiter"
            detected={delimiter}
            value={delimiter.value}
            busy={busy}
            options={withCurrent(delimiters, delimiter.value)}
            onChoose={(chosen) => onOverride({ delimiter: chosen })}
          />
          <ChoiceFact
            name="Quote"
            detected={quote}
            value={quote.value ?? ''}
            busy={busy}
            options={withCurrent(quotes, quote.value)}
            onChoose={(chosen) => onOverride({ quote: chosen })}
          />
          <ChoiceFact
            name="Quote in quotes"
            detected={escaped}
            value={escaped.value}
            busy={busy}
            options={escapes}
            onChoose={(chosen) => onOverride({ escape: chosen })}
          />
        </>
      )}
    </>
  );
}

/** Where the table is. */
function PlaceFacts({ reading, busy, onOverride }: Props): ReactNode {
  const { sheet, sheets, header_lines: header } = reading;
  return (
    <>
      {sheets.length > 0 && (
        <ChoiceFact
          name="Sheet"
          detected={sheet}
          value={sheet.value}
          busy={busy}
          options={sheets.map((each) => [each, each] as const)}
          onChoose={(chosen) => onOverride({ sheet: chosen })}
        />
      )}
      <ChoiceFact
        name="Header on"
        label="Header lines"
        detected={header}
        value={headerKey(header.value)}
        busy={busy}
        options={headerOptions(reading)}
        onChoose={(key) => onOverride({ header_lines: key === null ? null : headerLines(key) })}
      />
    </>
  );
}

/** What its cells mean. */
function ValueFacts({ reading, busy, onOverride }: Props): ReactNode {
  const { decimal, date_order: dates } = reading;
  return (
    <>
      <ChoiceFact
        name="Decimal sign"
        detected={decimal}
        value={decimal.value}
        busy={busy}
        options={decimals}
        onChoose={(chosen) => onOverride({ decimal: chosen })}
      />
      <ChoiceFact
        name="Order of dates"
        detected={dates}
        value={dates.value}
        busy={busy}
        options={dateOrders}
        onChoose={(chosen) => onOverride({ date_order: chosen })}
      />
    </>
  );
}

function Warning({ column, message }: Reading['warnings'][number]): ReactNode {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 bg-warn-soft px-4 py-1.5 text-sm">
      <dt className="text-ink-2">⚠ Look at</dt>
      <dd>
        {column === null ? '' : `${inertText(column)}: `}
        {inertText(message)}
      </dd>
    </div>
  );
}

/** One of several; null goes back to what was detected. */
function ChoiceFact<Key extends string>({
  name,
  label = name,
  detected,
  value,
  options,
  busy,
  onChoose,
}: {
  name: string;
  label?: string;
  detected: Detected;
  value: string | null;
  options: readonly (readonly [Key, string])[];
  busy: boolean;
  onChoose: (key: Key | null) => void;
}): ReactNode {
  const choose = (chosen: string) => onChoose(options.find(([key]) => key === chosen)?.[0] ?? null);
  return (
    <Fact name={name} detected={detected} onReset={() => onChoose(null)}>
      <Choose label={label} busy={busy} value={value} options={options} onChoose={choose} />
    </Fact>
  );
}

function withCurrent(
  options: readonly (readonly [string, string])[],
  value: string | null,
): readonly (readonly [string, string])[] {
  return value === null || options.some(([key]) => key === value) ? options : [[value, value], ...options];
}

/** A list of words, shown again whenever it is another. */
function WordsFact({
  name,
  label,
  detected,
  busy,
  onChoose,
}: {
  name: string;
  label: string;
  detected: Detected & { readonly value: readonly string[] };
  busy: boolean;
  onChoose: (words: string[] | null) => void;
}): ReactNode {
  const words = detected.value;
  return (
    <Fact name={name} detected={detected} onReset={() => onChoose(null)}>
      <ChooseWords key={JSON.stringify(words)} label={label} words={words} busy={busy} onChoose={onChoose} />
    </Fact>
  );
}

interface Detected {
  readonly confidence: keyof typeof sureness;
  readonly reason: string;
  readonly overridden: boolean;
}

function Fact({
  name,
  detected,
  children,
  onReset,
}: {
  name: string;
  detected: Detected;
  children: ReactNode;
  onReset?: () => void;
}): ReactNode {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-1.5 text-sm">
      <dt className="text-ink-2">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        {children}
        <span className="text-xs text-ink-3" title={detected.reason}>
          {detected.overridden ? (
            <span className="font-medium text-warn">set by you</span>
          ) : (
            <>
              <span aria-hidden="true">{sureness[detected.confidence]}</span> {detected.confidence}
            </>
          )}
        </span>
        {detected.overridden && onReset && (
          <Button small look="quiet" icon="undo" onClick={onReset}>
            as detected
          </Button>
        )}
        <span className="w-full text-xs text-ink-3">{detected.reason}</span>
      </dd>
    </div>
  );
}

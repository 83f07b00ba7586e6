// What was detected, how sure that is and why; each can be set otherwise.
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
const sureness = { certain: '●●●', likely: '●●○', guess: '●○○' } as const;

interface Props {
  readonly reading: Reading;
  readonly busy: boolean;
  readonly onOverride: (overrides: Overrides) => void;
}

export function ReadingFacts({ reading, busy, onOverride }: Props): ReactNode {
  return (
    <dl className="divide-y divide-line">
      <Fact name="Format" detected={reading.format} shown={reading.format.value.toUpperCase()} />
      <Fact
        name="Encoding"
        detected={reading.encoding}
        shown={reading.encoding.value ?? '–'}
        onReset={() => onOverride({ encoding: null })}
      >
        <Choose
          label="Encoding"
          busy={busy}
          value={reading.encoding.value}
          options={withCurrent(
            encodings.map((each) => [each, each] as const),
            reading.encoding.value,
          )}
          onChoose={(encoding) => onOverride({ encoding })}
        />
      </Fact>
      {reading.format.value === 'csv' && (
        <>
          <Fact
            name="Delimiter"
            detected={reading.delimiter}
            shown={reading.delimiter.value ?? '–'}
            onReset={() => onOverride({ delimiter: null })}
          >
            <Choose
              label="Delimiter"
              busy={busy}
              value={reading.delimiter.value}
              options={withCurrent(delimiters, reading.delimiter.value)}
              onChoose={(delimiter) => onOverride({ delimiter })}
            />
          </Fact>
          <Fact
            name="Quote"
            detected={reading.quote}
            shown={reading.quote.value ?? 'none'}
            onReset={() => onOverride({ quote: null })}
          >
            <Choose
              label="Quote"
              busy={busy}
              value={reading.quote.value ?? ''}
              options={withCurrent(quotes, reading.quote.value)}
              onChoose={(quote) => onOverride({ quote })}
            />
          </Fact>
          <Fact
            name="Quote in quotes"
            detected={reading.escape}
            shown={reading.escape.value ?? '–'}
            onReset={() => onOverride({ escape: null })}
          >
            <Choose
              label="Quote in quotes"
              busy={busy}
              value={reading.escape.value}
              options={[
                ['double', 'doubled ""'],
                ['backslash', 'backslash \\"'],
              ]}
              onChoose={(way) => onOverride({ escape: way === 'backslash' ? 'backslash' : 'double' })}
            />
          </Fact>
        </>
      )}
      {reading.sheets.length > 0 && (
        <Fact
          name="Sheet"
          detected={reading.sheet}
          shown={reading.sheet.value ?? '–'}
          onReset={() => onOverride({ sheet: null })}
        >
          <Choose
            label="Sheet"
            busy={busy}
            value={reading.sheet.value}
            options={reading.sheets.map((sheet) => [sheet, sheet] as const)}
            onChoose={(sheet) => onOverride({ sheet })}
          />
        </Fact>
      )}
      <Fact
        name="Header on"
        detected={reading.header_lines}
        shown={headerKey(reading.header_lines.value)}
        onReset={() => onOverride({ header_lines: null })}
      >
        <Choose
          label="Header lines"
          busy={busy}
          value={headerKey(reading.header_lines.value)}
          options={headerOptions(reading)}
          onChoose={(key) => onOverride({ header_lines: headerLines(key) })}
        />
      </Fact>
      <Fact
        name="Decimal sign"
        detected={reading.decimal}
        shown={reading.decimal.value ?? '–'}
        onReset={() => onOverride({ decimal: null })}
      >
        <Choose
          label="Decimal sign"
          busy={busy}
          value={reading.decimal.value}
          options={[
            ['.', '1,234.56'],
            [',', '1.234,56'],
          ]}
          onChoose={(decimal) => onOverride({ decimal: decimal === ',' ? ',' : '.' })}
        />
      </Fact>
      <Fact
        name="Order of dates"
        detected={reading.date_order}
        shown={reading.date_order.value ?? '–'}
        onReset={() => onOverride({ date_order: null })}
      >
        <Choose
          label="Order of dates"
          busy={busy}
          value={reading.date_order.value}
          options={[
            ['ymd', '2026-02-15'],
            ['dmy', '15/02/2026'],
            ['mdy', '02/15/2026'],
          ]}
          onChoose={(order) => onOverride({ date_order: order === 'dmy' ? 'dmy' : order === 'mdy' ? 'mdy' : 'ymd' })}
        />
      </Fact>
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
      {reading.warnings.map(({ code, column, message }) => (
        <div
          key={`${code} ${column}`}
          className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 bg-warn-soft px-4 py-1.5 text-sm"
        >
          <dt className="text-ink-2">⚠ Look at</dt>
          <dd>
            {column === null ? '' : `${inertText(column)}: `}
            {inertText(message)}
          </dd>
        </div>
      ))}
    </dl>
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
    <Fact name={name} detected={detected} shown={words.join(' ')} onReset={() => onChoose(null)}>
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
  shown,
  children,
  onReset,
}: {
  name: string;
  detected: Detected;
  shown: string;
  children?: ReactNode;
  onReset?: () => void;
}): ReactNode {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-1.5 text-sm">
      <dt className="text-ink-2">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        {children ?? <span className="figures">{shown}</span>}
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

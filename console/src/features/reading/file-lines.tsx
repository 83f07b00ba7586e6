import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { numbersTo } from '../../ui/numbers-to.ts';
import { Cell, Row, Table } from '../../ui/table.tsx';
import type { Reading } from './show-reading.ts';

const kinds: Record<Reading['furniture'][number]['kind'], string> = {
  preamble: 'preamble',
  title: 'title',
  header: 'header',
  blank: 'blank',
  total: 'total row',
  footer: 'footer',
};

/** Lines set aside, struck through, each of which can be put back; and the first rows as they were understood. */
export function FileLines({
  reading,
  busy,
  onPutBack,
}: {
  reading: Reading;
  busy: boolean;
  onPutBack: (lines: number[]) => void;
}): ReactNode {
  const back = reading.furniture.filter((each) => each.put_back).map((each) => each.line);
  const toggle = (line: number, put: boolean) =>
    onPutBack(put ? [...back, line] : back.filter((each) => each !== line));
  return (
    <div className="flex flex-col">
      {reading.furniture.length > 0 && (
        <ul aria-label="Lines set aside" className="divide-y divide-line border-b border-line bg-sunken/50">
          {reading.furniture.map((each) => (
            <li key={each.line} className="flex items-center gap-3 px-4 py-1 text-xs">
              <span className="figures w-12 shrink-0 text-right text-ink-3">{count(each.line)}</span>
              <span className="w-18 shrink-0 text-ink-2">{kinds[each.kind]}</span>
              <span
                className={`figures min-w-0 flex-1 truncate ${each.kind === 'header' ? 'font-semibold' : each.put_back ? '' : 'text-ink-2 line-through'}`}
                title={each.text}
              >
                {inertText(each.text) || '(blank)'}
              </span>
              {each.kind !== 'header' && each.kind !== 'blank' && (
                <Button small look="quiet" disabled={busy} onClick={() => toggle(each.line, !each.put_back)}>
                  {each.put_back ? 'set aside' : 'put back'}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Table label="First rows" head={['Line', ...reading.header.map(inertText)]}>
        {reading.sample.map((row) => (
          <Row key={row.line}>
            <Cell className="figures text-xs text-ink-3">{count(row.line)}</Cell>
            {numbersTo(reading.header.length).map((index) => (
              <Cell key={index} className="figures max-w-52 truncate text-xs">
                {cellText(row.cells[index])}
              </Cell>
            ))}
          </Row>
        ))}
      </Table>
    </div>
  );
}

function cellText(value: string | null | undefined): ReactNode {
  return value === null || value === undefined ? <span className="text-ink-3">(empty)</span> : inertText(value);
}

// Which sign separates decimals and which groups thousands. One value often cannot tell ("203,834"), so evidence is collected
// over many and decided once per file.
import { type Decision, decided } from '../decision.ts';
import { stripNumber } from './strip-number.ts';

export interface NumberStyle {
  readonly decimal: '.' | ',';
  /** Blanks and apostrophes are accepted as group signs as well: nothing else could be meant. */
  readonly group: ',' | '.' | ' ' | "'" | null;
}

export const pointStyle: NumberStyle = { decimal: '.', group: ',' };
export const commaStyle: NumberStyle = { decimal: ',', group: '.' };

/** `point` and `comma` prove the decimal sign; `either` is a number that both read, differently; `plain` proves nothing. */
export type NumberEvidence = 'point' | 'comma' | 'either' | 'plain' | 'none';

export function numberEvidence(text: string): NumberEvidence {
  const stripped = stripNumber(text);
  if (stripped === null) return 'none';
  const digits = stripped.digits.replace(/[ '’]/g, '');
  if (!/^[\d.,]+$/.test(digits) || !/\d/.test(digits))
    return /^\d+([.,]\d+)?e[+-]?\d+$/i.test(digits) ? 'plain' : 'none';
  const commas = countOf(digits, ',');
  const points = countOf(digits, '.');
  if (commas === 0 && points === 0) return 'plain';
  if (commas > 0 && points > 0) {
    const decimal = digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.';
    if (countOf(digits, decimal) > 1) return 'none';
    return decimal === ',' ? 'comma' : 'point';
  }
  return commas > 0 ? singleSign(digits, ',', commas) : singleSign(digits, '.', points);
}

/** Only one of the two signs occurs. */
function singleSign(digits: string, sign: ',' | '.', count: number): NumberEvidence {
  const asDecimal: NumberEvidence = sign === ',' ? 'comma' : 'point';
  const asGroup: NumberEvidence = sign === ',' ? 'point' : 'comma';
  const groups = digits.split(sign);
  const head = groups[0] ?? '';
  const isGrouped = /^[1-9]\d{0,2}$/.test(head) && groups.slice(1).every((group) => group.length === 3);
  if (count > 1) return isGrouped || isIndianGrouping(groups) ? asGroup : 'none';
  return isGrouped ? 'either' : asDecimal;
}

/** 12,34,567: pairs, then three. */
export function isIndianGrouping(groups: readonly string[]): boolean {
  const last = groups.at(-1) ?? '';
  const head = groups[0] ?? '';
  return last.length === 3 && /^\d{1,2}$/.test(head) && groups.slice(1, -1).every((group) => group.length === 2);
}

export interface NumberStyleHints {
  /** A file that separates cells by commas rarely uses a decimal comma, one that uses semicolons often does. */
  readonly delimiter?: string;
  /** JSON and workbooks hold numbers as numbers and show them with a decimal point. */
  readonly hasTypedNumbers?: boolean;
  /** A column that has numbers with such a sign also has longer ones without: then the sign groups nothing. */
  readonly hasUngrouped?: boolean;
}

export function decideNumberStyle(values: Iterable<string>, hints: NumberStyleHints = {}): Decision<NumberStyle> {
  const counts = { point: 0, comma: 0, either: 0, plain: 0, none: 0 };
  let example = '';
  for (const value of values) {
    const evidence = numberEvidence(value);
    counts[evidence]++;
    if (evidence === 'either' && example === '') example = value.trim();
  }
  if (counts.point > 0 && counts.comma === 0)
    return decided(pointStyle, 'exact', `${counts.point} values show a decimal point`);
  if (counts.comma > 0 && counts.point === 0)
    return decided(commaStyle, 'exact', `${counts.comma} values show a decimal comma`);
  if (counts.point > 0 && counts.comma > 0) {
    const isPoint = counts.point >= counts.comma;
    const told = [`${counts.point} values show a decimal point`, `${counts.comma} a decimal comma`] as const;
    const decision = decided(isPoint ? pointStyle : commaStyle, 'guess', told.join(', '));
    if (counts.either === 0) return decision;
    // Values of the other style are refused one by one; those that fit both are read by guess.
    return {
      ...decision,
      evidence: {
        for: [isPoint ? told[0] : told[1]],
        against: [isPoint ? told[1] : told[0], `"${example}" can be read both ways`],
      },
      rival: { says: isPoint ? 'a decimal comma' : 'a decimal point', certainty: 0.5 },
    };
  }
  if (counts.either > 0) return decideAmbiguous(example, hints);
  return decided(pointStyle, 'likely', 'no value has a decimal or thousands sign');
}

/** Whether a column has numbers of both forms, "1.234" and "5678": a file that groups thousands groups all of them. */
export function isUngrouped(column: readonly string[]): boolean {
  return (
    column.some((text) => numberEvidence(text) === 'either') &&
    column.some((text) => /^\s*-?[1-9]\d{3,}\s*$/.test(text))
  );
}

function decideAmbiguous(example: string, hints: NumberStyleHints): Decision<NumberStyle> {
  if (hints.hasTypedNumbers === true)
    return decided(pointStyle, 'likely', 'numbers of this format have a decimal point');
  if (hints.delimiter === ',') {
    const reason = `"${example}" is read with a decimal point: cells are separated by commas`;
    const decision = decided(pointStyle, 'likely', reason);
    // "125.000" and nothing but its like: a hundred and twenty-five, or as many thousands, as in currencies without cents.
    if (!example.includes('.') || hints.hasUngrouped === true) return decision;
    return {
      ...decision,
      confidence: 'guess',
      evidence: { for: ['cells are separated by commas'], against: ['every decimal point has three digits after it'] },
      rival: { says: 'a decimal comma', certainty: 0.5 },
    };
  }
  if (hints.delimiter === ';' && !example.includes(',')) {
    return decided(commaStyle, 'guess', `"${example}" is read with thousands: cells are separated by semicolons`);
  }
  return decided(pointStyle, 'guess', `"${example}" could be read with a decimal point or a decimal comma`);
}

function countOf(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

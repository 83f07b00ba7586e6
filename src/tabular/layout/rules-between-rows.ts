// Lines that programs draw between the rows of a table: `----+------`, `|:---|---:|`, `=====`. They hold no value, and no name.

const RULE = /^\s*[-=_+*~:|─━═┼┬┴├┤│┌┐└┘╔╗╚╝]+\s*$/;
/** So many of a cell's characters draw; fewer are a dash that stands for "no value". */
const MIN_LENGTH = 4;
const codes: ReadonlySet<number> = new Set([...'-=_+*~:|', ' '].map((sign) => sign.charCodeAt(0)));
const NOT_ASCII = 128;

/** Whether a row whose first filled cell starts so can be a rule. */
export function isRuleCode(code: number): boolean {
  return code === NOT_ASCII || codes.has(code);
}

export function isRuleRow(cells: readonly string[]): boolean {
  let longest = 0;
  for (const cell of cells) {
    if (cell.trim() === '') continue;
    if (!RULE.test(cell)) return false;
    longest = Math.max(longest, cell.trim().length);
  }
  return longest >= MIN_LENGTH;
}

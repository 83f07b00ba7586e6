// The questions of `millrace eval`: a CSV file with the columns question and document.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';

export interface EvalQuestion {
  readonly line: number;
  readonly question: string;
  /** Title or id; undefined: it must not be answered. */
  readonly document: string | undefined;
}

export function readQuestions(text: string, file: string): EvalQuestion[] {
  const rows = parseCsv(text.replace(/^\uFEFF/, ''));
  const header = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const [question, document] = [header.indexOf('question'), header.indexOf('document')];
  if (question < 0) throw new MillraceError('eval_file_invalid', { file, reason: 'it has no column "question"' });
  const questions = rows.slice(1).flatMap(({ cells, line }) => {
    const asked = cells[question]?.trim() ?? '';
    const expected = document < 0 ? '' : (cells[document]?.trim() ?? '');
    return asked === '' ? [] : [{ line, question: asked, document: expected === '' ? undefined : expected }];
  });
  if (questions.length === 0) throw new MillraceError('eval_file_invalid', { file, reason: 'it has no question' });
  return questions;
}

/** Quotes, doubled quotes and line breaks inside them. */
function parseCsv(text: string): { readonly cells: string[]; readonly line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let line = 1;
  let startedAt = 1;
  const endRow = () => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== '')) rows.push({ cells, line: startedAt });
    cells = [];
    cell = '';
    startedAt = line;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '\n') line += 1;
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === ',') {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;
}

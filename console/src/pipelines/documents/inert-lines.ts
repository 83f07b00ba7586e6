import { inertText } from '../../ui/inert-text.ts';

/** Text of several lines with every character that lies replaced by a visible sign; the lines stay. */
export function inertLines(text: string): string {
  return text.split('\n').map(inertText).join('\n');
}

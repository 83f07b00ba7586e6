// Pages whose text stands on its head or on its side: scanned the wrong way round, printed across the paper, or turned by a wrong mark in the file. The library
// reads them as they lie, line by line backwards; told how they are turned it reads them upright. Here is how a page is turned, and where on the page,
// as it is shown, the boxes of the upright one are.
import type { Box } from './page.ts';

/** Clockwise, in degrees. */
export type Turn = 0 | 90 | 180 | 270;

/** A page as it is shown. */
export interface ShownPage {
  readonly turn: Turn;
  readonly width: number;
  readonly height: number;
}

const ANGLE_SLACK = 5;
const MOST = 0.75;

export function isAt(rotation: number | undefined, turn: Turn): boolean {
  const away = Math.abs((rotation ?? 0) - turn) % 360;
  return Math.min(away, 360 - away) <= ANGLE_SLACK;
}

/** How most of the letters stand. On a page of both kinds the upright ones are read first, and the others are put together by turned-text.ts. */
export function turnOf(items: readonly { readonly text: string; readonly rotation?: number | undefined }[]): Turn {
  const letters = { 0: 0, 90: 0, 180: 0, 270: 0, none: 0 };
  const turns = [0, 90, 180, 270] as const;
  for (const { text, rotation } of items)
    letters[turns.find((turn) => isAt(rotation, turn)) ?? 'none'] += text.replace(/\s+/g, '').length;
  const all = Object.values(letters).reduce((sum, each) => sum + each, 0);
  return turns.find((turn) => letters[turn] > all * MOST) ?? 0;
}

/** Where a box of the upright page is on the page that is shown. */
export function asShown({ x, y, w, h }: Box, { turn, width, height }: ShownPage): Box {
  const round = (value: number) => Math.round(value * 10) / 10;
  if (turn === 90) return { x: round(width - y - h), y: x, w: h, h: w };
  if (turn === 180) return { x: round(width - x - w), y: round(height - y - h), w, h };
  if (turn === 270) return { x: y, y: round(height - x - w), w: h, h: w };
  return { x, y, w, h };
}

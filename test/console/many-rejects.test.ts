// A file of which every row is refused: the grid shows its end at once, without reading what lies before it, and a row there can be
// fixed. With REJECT_ROWS=100000 it measures instead of a small dose: frames while scrolling, and the way to the end.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Person, shoot, signIn } from './browser.ts';
import { metaRow, metaText } from './dirty-files.ts';
import { uploadMeta } from './installation.ts';
import { useConsole } from './use-console.ts';

const rows = Number(process.env.REJECT_ROWS ?? 6_000);
const stage = useConsole();
let person: Person;
let page: Page;
let runId = '';
const asked: string[] = [];

beforeAll(async () => {
  const text = metaText(Array.from({ length: rows }, (_, index) => metaRow(index, { spend: 'about 12' })));
  runId = await uploadMeta(stage.installation, 'all-refused.csv', text);
  person = await stage.visit();
  page = person.page;
  page.on('request', (request) => {
    if (/\/rejects\?/.test(request.url())) asked.push(request.url());
  });
  await signIn(person, stage.installation.admin.email, stage.installation.admin.password);
  await page.goto(`/r/${runId}/rejects`);
  await page.locator('[role=row][aria-rowindex="2"][data-state]').waitFor();
});

/** The last row, which is on line `rows` + 1 of the file: the header is line 1. */
const lastRow = () => page.locator(`[role=row][aria-rowindex="${rows + 1}"][data-state]`);

describe('a grid of many refused rows', () => {
  it('goes to its last row by one key and asks for that end alone', async () => {
    asked.length = 0;
    const started = performance.now();
    await page.getByRole('grid').press('Control+End');
    await lastRow().waitFor();
    say(
      `Ctrl End: ${Math.round(performance.now() - started)} ms to the last of ${rows} rows, ${asked.length} requests`,
    );
    expect(await lastRow().textContent()).toContain(new Intl.NumberFormat('en-US').format(rows + 1));
    expect(asked.length).toBeLessThanOrEqual(3);
    await page.getByRole('grid').press('Control+Home');
    await page.locator('[role=row][aria-rowindex="2"][data-state]').waitFor();
    await shoot(page, 'many-rejects');
  });

  it('can be dragged to its end, and a row there is fixed', async () => {
    const started = performance.now();
    await page.getByRole('grid').evaluate((grid: { scrollTop: number; scrollHeight: number }) => {
      grid.scrollTop = grid.scrollHeight;
    });
    await lastRow().waitFor();
    say(`scroll bar: ${Math.round(performance.now() - started)} ms to the last row`);
    await lastRow().locator('[aria-invalid]').dblclick();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('12.00');
    await page.keyboard.press('Enter');
    await page.locator(`[role=row][aria-rowindex="${rows + 1}"][data-state=ready]`).waitFor();
    expect(person.faults).toEqual([]);
  });

  it('scrolls without losing sight of the rows', async () => {
    for (const [what, step] of [
      ['100 px a frame', 100],
      ['a screen a frame', 580],
    ] as const) {
      const { p50, p95, seen } = await scroll(step, 240);
      say(`${what}: median ${p50} ms, p95 ${p95} ms a frame; ${seen} of 240 frames showed rows`);
      expect(seen).toBeGreaterThan(step === 100 ? 200 : 20);
    }
  });
});

interface Frames {
  readonly p50: number;
  readonly p95: number;
  /** Frames in which at least one row in sight had its content. */
  readonly seen: number;
}

function scroll(step: number, frames: number): Promise<Frames> {
  return page.evaluate(
    `(async () => {
      const grid = document.querySelector('[role=grid]');
      grid.scrollTop = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let rest = 0; rest < 30; rest += 1) await frame();
      const spans = [];
      let seen = 0;
      let last = await frame();
      for (let count = 0; count < ${frames}; count += 1) {
        grid.scrollTop += ${step};
        const now = await frame();
        spans.push(now - last);
        last = now;
        if (document.querySelector('[role=row][data-state]')) seen += 1;
      }
      spans.sort((a, b) => a - b);
      const at = (share) => Math.round(spans[Math.floor(spans.length * share)] * 10) / 10;
      return { p50: at(0.5), p95: at(0.95), seen };
    })()`,
  ) as Promise<Frames>;
}

function say(line: string): void {
  if (process.env.REJECT_ROWS !== undefined) console.info(line);
}

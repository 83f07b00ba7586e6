// Runs axe on a page and gives what it found as readable lines.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Given neither rules nor tags, axe is asked for everything of the guidelines and its best practice.
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The context must have been opened without the content policy, which would refuse axe itself. */
export async function findBarriers(page: Page, only?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.addScriptTag({ content: source });
  // Of what passes axe names one element instead of all, and nothing of it leaves the page: only the barriers are read.
  const violations = await page.evaluate(
    async (runOnly) =>
      (
        await (globalThis as unknown as { axe: { run(root: unknown, options: unknown): Promise<AxeResults> } }).axe.run(
          (globalThis as unknown as { document: unknown }).document,
          { runOnly, resultTypes: ['violations'] },
        )
      ).violations,
    only ?? rules,
  );
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.length}×, first: ${nodes[0]?.html.slice(0, 200)})`,
  );
}

// Names every test that passed only at a second try, and counts them at the end of the run: a retry on a busy build machine is allowed,
// a silent one is not.
import type { Reporter, TestCase } from 'vitest/node';

export default class SecondTries implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const tries = test.diagnostic()?.retryCount ?? 0;
    if (tries > 0) this.#names.push(describe(test, tries));
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.log(`\n${this.#names.length === 1 ? '1 test' : `${this.#names.length} tests`} needed more than one try:`);
    for (const name of this.#names) console.log(`  ${name}`);
  }
}

function describe(test: TestCase, retries: number): string {
  const end = test.result().state === 'passed' ? 'passed' : 'failed';
  return `${test.module.relativeModuleId} > ${test.fullName} (${end} at try ${retries + 1})`;
}

// The order of the test files: those that take longest begin first, so that the run does not end with one file that everybody waits for. What
// drives processes, browsers and faults takes longest; among the others the larger file begins first.
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of the longest files on two idle cores, roughly; a new file of theirs is guessed by its folder. */
const seconds: readonly (readonly [file: RegExp, seconds: number])[] = [
  [/^test\/chaos\/engine\.test/, 150],
  [/^test\/conformance\//, 90],
  [/^test\/console\/pages/, 80],
  [/^test\/acceptance\/(?:runs|judgments|trouble|third-party)/, 60],
  [/^src\/platform\/embedded-postgres/, 50],
  [/^test\/acceptance\/idle/, 45],
  [/^test\/(?:acceptance|console|chaos|upgrade|mutate)\//, 25],
  [/crash\.db\.test|^src\/engine\/(?:model|idle|silent|stalls)|^src\/access\/login|tenant-isolation/, 20],
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weigh = (file: TestSpecification) => {
      const { moduleId, project } = file;
      const name = moduleId.slice(project.config.root.length + 1);
      const known = seconds.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
      return { file, weight: known * 1_000_000 + statSync(moduleId).size };
    };
    return files
      .map(weigh)
      .sort((one, other) => other.weight - one.weight)
      .map(({ file }) => file);
  }
}

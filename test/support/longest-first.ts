// The order of the test files. Projects one after the other: files that share a process follow each other, or the process would be given up
// between them. Within a project those that took longest begin first (timings.json), so that the run does not end with one file that
// everybody waits for; a file that nobody has timed yet begins before all others of its project.
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readTimings } from './timings.ts';

/** What only computes fills the end. */
const projects = ['product', 'computing'];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const timings = readTimings();
    const weigh = (file: TestSpecification) => {
      const { moduleId, project } = file;
      const seconds = timings[moduleId.slice(project.config.root.length + 1)] ?? Number.MAX_SAFE_INTEGER;
      return { file, turn: projects.indexOf(project.name), seconds };
    };
    return files
      .map(weigh)
      .sort((one, other) => one.turn - other.turn || other.seconds - one.seconds)
      .map(({ file }) => file);
  }
}

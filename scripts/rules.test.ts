import { describe, expect, it } from 'vitest';
import { checkFiles } from './rules.ts';

const check = (name: string, text: string) => checkFiles([{ name, text }]).map(({ rule }) => rule);

describe('our own rules', () => {
  it('want statements in sql folders, with exceptions for platform and tests', () => {
    const text = '// x\nawait db.query<Row>(`select 1`);\n';
    expect(check('src/engine/claim.ts', text)).toEqual([expect.stringContaining('.query(')]);
    expect(check('src/engine/sql/claim-runs.ts', text)).toEqual([]);
    expect(check('src/platform/migrate.ts', text)).toEqual([]);
    expect(check('src/engine/claim.db.test.ts', text)).toEqual([]);
  });

  it("want the engine's clock in SQL, and know Date.now() and comments", () => {
    expect(check('src/engine/sql/a.ts', 'select now()')).toHaveLength(1);
    expect(check('src/engine/sql/a.ts', 'select CURRENT_TIMESTAMP')).toHaveLength(1);
    expect(check('db/migrations/0001_a.sql', 'default clock_timestamp()')).toHaveLength(1);
    expect(check('db/migrations/0001_a.sql', '  as $$ select clock_timestamp() $$;')).toEqual([]);
    expect(check('src/engine/sql/a.ts', 'select engine.now(), -- not now()')).toEqual([]);
    expect(check('src/engine/a.ts', 'const at = Date.now() + performance.now();')).toEqual([]);
  });

  it('limit the length of files, tests a little more', () => {
    expect(check('src/engine/a.ts', `// x\n${'a;\n'.repeat(450)}`)).toHaveLength(1);
    expect(check('src/engine/a.test.ts', `// x\n${'a;\n'.repeat(690)}`)).toEqual([]);
  });

  it('want a header comment on longer files and names that say something', () => {
    expect(check('src/engine/a.ts', 'a;\n'.repeat(50))).toEqual([expect.stringContaining('open with a comment')]);
    expect(check('src/engine/utils.ts', '')).toEqual([expect.stringContaining('concept')]);
  });

  it('want pipelines named by their kits alone', () => {
    const named = expect.stringContaining('name no pipeline here');
    expect(check('src/http/a.ts', "if (run.pipeline === 'ads') go();")).toEqual([named]);
    expect(check('src/roles/a.ts', "import { x } from '../pipelines/syncs/kit.ts';")).toEqual([named]);
    expect(check('src/roles/a.ts', "import '../pipelines/syncs/kit.ts';")).toEqual([named]);
    expect(check('src/roles/a.ts', "new URL('../pipelines/documents/child.ts', import.meta.url)")).toEqual([named]);
    expect(check('src/http/sql/a.ts', "where pipeline = 'judgments'")).toEqual([named]);
    expect(check('scripts/a.ts', "const name = 'items';")).toEqual([named]);
    for (const shared of ['src/pipelines/kit.ts', 'src/contract/pipelines/kinds.ts', 'console/src/pipelines/kit.ts'])
      expect(check(shared, "const name = 'ads';")).toEqual([named]);
    for (const own of ['src/pipelines/ads/http/a.ts', 'src/contract/pipelines/ads/a.ts', 'src/http/a.db.test.ts'])
      expect(check(own, "const name = 'ads';")).toEqual([]);
    expect(check('console/src/features/run/a.tsx', "run.pipeline === 'ads' && <A />")).toEqual([named]);
    expect(check('console/src/app/a.ts', "lazy(() => import('../pipelines/ads/ads-page.tsx'))")).toEqual([named]);
    for (const own of ['console/src/pipelines/ads/kit.tsx', 'console/src/features/run/a.test.ts'])
      expect(check(own, "const name = 'ads';")).toEqual([]);
    expect(check('src/http/a.ts', "import { partsOf } from './pipeline-parts.ts'; // 'ads' among others")).toEqual([]);
    expect(check('src/pipelines/sources/a.ts', "type Sync = Source['syncs'][number];")).toEqual([]);
  });

  it('want pipelines apart from each other', () => {
    const apart = expect.stringContaining('a pipeline imports no other');
    const named = expect.stringContaining('name no pipeline here');
    expect(check('src/pipelines/ads/a.ts', "import { x } from '../items/x.ts';")).toEqual([apart]);
    expect(check('src/pipelines/ads/sql/a.ts', "await import('../../items/x.ts');")).toEqual([apart]);
    expect(check('console/src/pipelines/ads/a.tsx', "import { x } from '../items/x.tsx';")).toEqual([apart]);
    expect(check('src/contract/pipelines/ads/a.ts', "import { x } from '../items/api.ts';")).toEqual([apart]);
    expect(check('src/pipelines/ads/a.ts', "const other = 'items';")).toEqual([named]);
    expect(check('src/pipelines/ads/a.ts', "import { x } from './x.ts';")).toEqual([]);
  });

  it('want the tables of the engine read through the engine', () => {
    const rule = expect.stringContaining('src/engine/reads');
    expect(check('src/http/sql/a.ts', 'select id from engine.runs')).toEqual([rule]);
    expect(check('src/cli/doctor/sql/a.ts', 'join engine.ready q on true')).toEqual([rule]);
    expect(check('src/pipelines/ads/sql/a.ts', 'select from engine.leases')).toEqual([rule]);
    expect(check('src/outbound/alerts/sql/a.ts', 'select from engine.workers')).toEqual([rule]);
    expect(check('src/pipelines/ads/sql/a.ts', 'insert into engine.row_outcomes (run_id)')).toEqual([]);
    expect(check('src/outbound/alerts/sql/a.ts', 'select from engine.alerts where at < engine.now()')).toEqual([]);
    expect(check('src/engine/reads/a.ts', 'select id from engine.runs')).toEqual([]);
    expect(check('src/engine/reads/a.ts', 'select now()')).toHaveLength(1);
  });

  it('want tests on judgments where the canaries listen', () => {
    const text = "import { openJudgmentsBench } from '../../test/support/judgments.ts';";
    expect(check('src/http/new-page.db.test.ts', text)).toEqual([expect.stringContaining('canaries')]);
    expect(check('src/pipelines/judgments/http/new-page.db.test.ts', text)).toEqual([]);
    expect(check('src/http/new-page.db.test.ts', 'nothing of them')).toEqual([]);
  });

  it('keep process.env in one place', () => {
    expect(check('src/http/app.ts', 'process.env.PORT')).toHaveLength(1);
    expect(check('src/platform/config.ts', 'process.env')).toEqual([]);
  });

  it('want one meaning for the name of a prepared statement', () => {
    const text = `db.query({ name: 'claim-runs', text: '' })`;
    const files = ['src/engine/sql/a.ts', 'src/engine/sql/b.ts'].map((name) => ({ name, text }));
    expect(checkFiles(files)).toEqual([
      { file: 'src/engine/sql/b.ts', line: 1, rule: 'the statement name "claim-runs" is taken by src/engine/sql/a.ts' },
    ]);
  });

  it('want comments to name files that are there', () => {
    const files = [
      { name: 'src/engine/claim.ts', text: '// Reads what lease.ts wrote, and engine/claim.ts too.' },
      { name: 'src/engine/README.md', text: '`claim.ts`, `gone.ts`' },
    ];
    expect(checkFiles(files).map(({ rule }) => rule)).toEqual([
      expect.stringContaining('there is no file lease.ts'),
      expect.stringContaining('there is no file gone.ts'),
    ]);
  });

  it('want tests without time limits of their own', () => {
    const limited = "it('ends', async () => {\n  await end();\n}, 60_000);";
    expect(check('src/http/a.db.test.ts', limited)).toEqual([expect.stringContaining('no time limit of its own')]);
    expect(check('src/http/a.db.test.ts', limited.replace(', 60_000', ''))).toEqual([]);
  });

  it('want words that any engineer knows, in code, comments, messages and documents', () => {
    for (const [name, text] of [
      ['src/http/a.ts', '// Files that were handed in.'],
      ['console/src/a.tsx', "const label = 'Mend the row';"],
      ['src/tabular/a.ts', 'const furnitureShown = 1;'],
      ['README.md', 'Every number has a passport.'],
      ['src/pipelines/syncs/a.ts', 'interface SyncDesk {}'],
      ['docs/operations.md', 'at the front door'],
      ['src/cli/a.ts', "say('the first in line waits')"],
      ['docs/sources.md', 'A source is looked through on schedule.'],
      ['src/http/b.ts', '// Made anew at each call.'],
      ['src/http/c.ts', '// What it becomes is the affair of the pipeline.'],
      ['src/http/d.ts', '// Looked in vain.'],
      ['docs/sources.md', 'Others are lost without a word.'],
      ['src/engine/a.ts', '// A worker without a sign of life.'],
      ['docs/errors.md', 'the installation is set up wrong'],
    ] as const)
      expect(check(name, text)).toEqual([expect.stringContaining(': say ')]);
    expect(check('src/pipelines/ads/a.ts', 'return { furniture: counts.furniture };')).toEqual([]);
    expect(
      check('src/a.ts', 'import { Doorbell } from "./wait.ts"; // Desktop, amendment, recommend, in line 4'),
    ).toEqual([]);
    expect(check('docs/decisions/0003-front-door.md', 'the front door')).toEqual([]);
  });
});

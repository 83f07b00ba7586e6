// Imports go only downward: roles → http, cli → pipelines → sources, tabular, access → engine → platform → contract.
const above = {
  contract: ['platform', 'engine', 'tabular', 'access', 'sources', 'pipelines', 'http', 'cli', 'roles'],
  platform: ['engine', 'tabular', 'access', 'sources', 'pipelines', 'http', 'cli', 'roles'],
  engine: ['tabular', 'access', 'sources', 'pipelines', 'http', 'cli', 'roles'],
  tabular: ['access', 'sources', 'pipelines', 'http', 'cli', 'roles'],
  access: ['tabular', 'sources', 'pipelines', 'http', 'cli', 'roles'],
  sources: ['tabular', 'access', 'pipelines', 'http', 'cli', 'roles'],
  pipelines: ['http', 'cli', 'roles'],
  http: ['cli', 'roles'],
  cli: ['http'],
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(above).map(([layer, layers]) => ({
      name: `${layer}-imports-only-downward`,
      severity: 'error',
      from: { path: `^src/${layer}/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^src/(${layers.join('|')})/` },
    })),
    {
      name: 'acceptance-knows-only-http-and-cli',
      severity: 'error',
      from: { path: '^test/acceptance/' },
      to: { path: '^src/' },
    },
    {
      name: 'console-imports-only-the-contract',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src/(?!contract/)|test/|scripts/|examples/)' },
    },
    {
      name: 'nothing-imports-the-console',
      severity: 'error',
      from: { path: '^(src|test|scripts|examples)/' },
      to: { path: '^console/' },
    },
    {
      name: 'source-never-imports-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(test|examples|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'], exportsFields: ['exports'], conditionNames: ['import'] },
  },
};

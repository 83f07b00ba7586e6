// Exports of advertising platforms: stored numbers by campaign, ad set, ad and day, each with its provenance.
import { createRoute } from '@tanstack/react-router';
import type { RunDetail } from '../../app/api.ts';
import { data } from '../../app/frame.ts';
import { lazyPage as lazy } from '../../app/lazy-page.ts';
import { defineConsoleKit, noRoutes, type RowColumns } from '../kit.ts';
import { readDataSearch } from './data-search.ts';
import { amounts } from './measure-names.ts';
import { adsKinds } from './platforms.ts';
import { uploadsReader } from './uploads-reader.ts';

const adsPage = createRoute({
  getParentRoute: () => data,
  path: '/',
  validateSearch: readDataSearch,
  component: lazy(() => import('./ads-page.tsx'), 'AdsPage'),
});

const words = { metric_date: 'Day', campaign: 'Campaign', ad_set: 'Ad set', ad: 'Ad', currency: 'Cur.' };

/** Everything that is not named by words is a measure. */
const columns: RowColumns = { words, isFigure: (name) => !(name in words), last: 'currency' };

export const adsKit = defineConsoleKit({
  name: 'ads',
  routes: { ...noRoutes, data: [adsPage] },
  dataTabs: [{ to: '/data', label: 'Ads', exact: true }],
  kinds: adsKinds,
  run: {
    views: ['rejects', 'rows', 'reading', 'mapping'],
    caption: platformOf,
    returnFields: returnFieldsOf,
    reader: uploadsReader,
    columns,
    amounts,
    Provenance: lazy(() => import('./provenance-drawer.tsx'), 'ProvenanceDrawer'),
    Stored: lazy(() => import('./stored-metrics.tsx'), 'StoredMetrics'),
  },
});

function platformOf({ input }: RunDetail): string | undefined {
  return typeof input.platform === 'string' ? input.platform : undefined;
}

function returnFieldsOf(run: RunDetail): Record<string, string> {
  const platform = platformOf(run);
  return { source: 'manual', ...(platform ? { platform } : {}) };
}

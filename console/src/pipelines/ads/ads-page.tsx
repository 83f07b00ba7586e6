import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { clientsQuery } from '../../features/operate/list-clients.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { DailyMetricsTable } from './daily-metrics-table.tsx';
import { type DataSearch, levelBelow, readDataSearch } from './data-search.ts';
import { LevelTable } from './level-table.tsx';
import { grainTitle, measureNames, measureTitle } from './measure-names.ts';
import { platformNames, platforms } from './platforms.ts';
import { totalsQuery } from './show-totals.ts';

const route = getRouteApi('/shell/data/');
const DayChart = lazy(() => import('./day-chart.tsx'));
const levelWords = { campaign: 'Campaigns', ad_set: 'Ad sets', ad: 'Ads' } as const;

/** Stored numbers: campaigns → ad sets → ads → days, each number with where it came from. */
export function AdsPage(): ReactNode {
  const search = route.useSearch();
  const level = levelBelow(search);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <Trail search={search} />
        <div className="flex flex-wrap gap-2">
          <Filters search={search} />
        </div>
      </div>
      <ByDay search={search} />
      {level && (
        <Panel title={levelWords[level]}>
          <LevelTable search={search} level={level} />
        </Panel>
      )}
      {search.campaign && (
        <Panel title="Daily numbers" aside="a click on a number shows where it came from">
          <DailyMetricsTable filter={search} empty="No daily numbers here" />
        </Panel>
      )}
    </div>
  );
}

function Trail({ search }: { search: DataSearch }): ReactNode {
  const { campaign, ad_set, ad, ...rest } = search;
  const steps: { key: string; label: ReactNode; to: DataSearch }[] = [{ key: 'all', label: 'All campaigns', to: rest }];
  if (campaign) {
    const to = { ...rest, campaign };
    steps.push({ key: 'campaign', label: <LevelName at={to} level="campaign" id={campaign} />, to });
  }
  if (campaign && ad_set) {
    const to = { ...rest, campaign, ad_set };
    steps.push({ key: 'ad_set', label: <LevelName at={to} level="ad_set" id={ad_set} />, to });
  }
  if (ad) steps.push({ key: 'ad', label: <LevelName at={search} level="ad" id={ad} />, to: search });
  return (
    <nav aria-label="Place" className="flex flex-wrap items-center gap-1.5 text-sm">
      {steps.map((step, index) => (
        <span key={step.key} className="flex items-center gap-1.5">
          {index > 0 && <span className="text-ink-3">›</span>}
          {index < steps.length - 1 ? (
            <Link to="/data" search={step.to} className="link">
              {step.label}
            </Link>
          ) : (
            step.label
          )}
        </span>
      ))}
    </nav>
  );
}

/** The name of a campaign, ad set or ad; its id until the name is known. */
function LevelName({ at, level, id }: { at: DataSearch; level: 'campaign' | 'ad_set' | 'ad'; id: string }): ReactNode {
  const totals = useQuery(totalsQuery(at, level));
  return <span title={id}>{inertText(totals.data?.data.find((total) => total.key === id)?.name ?? id)}</span>;
}

function Filters({ search }: { search: DataSearch }): ReactNode {
  const navigate = useNavigate();
  const clients = useQuery(clientsQuery).data?.data ?? [];
  const go = (part: Record<string, string>) =>
    void navigate({ to: '/data', search: readDataSearch({ ...search, ...part }), replace: true });
  return (
    <>
      <select
        aria-label="Platform"
        value={search.platform ?? ''}
        onChange={(event) => go({ platform: event.target.value })}
        className="control"
      >
        <option value="">All platforms</option>
        {platforms.map((platform) => (
          <option key={platform} value={platform}>
            {platformNames[platform]}
          </option>
        ))}
      </select>
      {clients.length > 0 && (
        <select
          aria-label="Client"
          value={search.client_id ?? ''}
          onChange={(event) => go({ client_id: event.target.value })}
          className="control"
        >
          <option value="">All clients</option>
          {clients.map((client) => (
            <option key={client.client_id} value={client.client_id}>
              {inertText(client.name)}
            </option>
          ))}
        </select>
      )}
      <label className="flex items-center gap-1.5 text-xs text-ink-2">
        from
        <input
          type="date"
          value={search.since ?? ''}
          onChange={(event) => go({ since: event.target.value })}
          className="control"
        />
      </label>
      <label className="flex items-center gap-1.5 text-xs text-ink-2">
        to
        <input
          type="date"
          value={search.until ?? ''}
          onChange={(event) => go({ until: event.target.value })}
          className="control"
        />
      </label>
    </>
  );
}

function ByDay({ search }: { search: DataSearch }): ReactNode {
  const totals = useQuery(totalsQuery(search, 'day'));
  const [chosen, setChosen] = useState('spend');
  const [chosenCurrency, setCurrency] = useState<string>();
  if (totals.isPending) return <LoadingLines lines={5} />;
  if (totals.isError) return <ProblemNote error={totals.error} onRetry={() => void totals.refetch()} />;
  const days = totals.data.data;
  if (days.length === 0) return null;
  const measures = measureNames(days.map((day) => day.measures));
  const measure = measures.includes(chosen) ? chosen : (measures[0] ?? 'spend');
  const currencies = [...new Set(days.map((day) => day.currency).filter((each) => each !== null))];
  const currency = currencies.find((each) => each === chosenCurrency) ?? currencies[0];
  const isMoney = measure === 'spend' || measure === 'conversion_value';
  const shown = isMoney && currencies.length > 1 ? days.filter((day) => day.currency === currency) : days;
  return (
    <Panel
      title="By day"
      aside={
        <span className="flex items-center gap-3">
          {isMoney && currencies.length > 1 && (
            <select
              aria-label="Currency"
              title="Amounts of different currencies are never added"
              value={currency}
              onChange={(event) => setCurrency(event.target.value)}
              className="control min-h-6! text-xs!"
            >
              {currencies.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
          <select
            aria-label="Measure"
            value={measure}
            onChange={(event) => setChosen(event.target.value)}
            className="control min-h-6! text-xs!"
          >
            {measures.map((each) => (
              <option key={each} value={each}>
                {measureTitle(each)}
              </option>
            ))}
          </select>
        </span>
      }
    >
      <p className="px-4 pt-2 text-xs text-ink-2">
        Built from numbers by {[...new Set(shown.flatMap((day) => day.grains))].map(grainTitle).join(', ')}.
      </p>
      <Suspense fallback={<LoadingLines lines={5} />}>
        <DayChart days={shown} measure={measure} />
      </Suspense>
    </Panel>
  );
}

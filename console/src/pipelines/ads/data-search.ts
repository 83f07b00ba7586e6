// Where in the data the person stands, as it is in the address.
import { type Platform, platforms } from './platforms.ts';

export interface DataSearch {
  readonly client_id?: string;
  readonly platform?: Platform;
  readonly campaign?: string;
  readonly ad_set?: string;
  readonly ad?: string;
  readonly since?: string;
  readonly until?: string;
}

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** External ids are text, also when they look like numbers: an id of 18 digits would not survive being one. */
export function readDataSearch(search: Record<string, unknown>): DataSearch {
  const platform = platforms.find((each) => each === search.platform);
  const campaign = text(search.campaign);
  const adSet = campaign ? text(search.ad_set) : undefined;
  const ad = adSet ? text(search.ad) : undefined;
  return {
    ...(typeof search.client_id === 'string' && id.test(search.client_id) ? { client_id: search.client_id } : {}),
    ...(platform ? { platform } : {}),
    ...(campaign ? { campaign } : {}),
    ...(adSet ? { ad_set: adSet } : {}),
    ...(ad ? { ad } : {}),
    ...(typeof search.since === 'string' && day.test(search.since) ? { since: search.since } : {}),
    ...(typeof search.until === 'string' && day.test(search.until) ? { until: search.until } : {}),
  };
}

/** What is listed below where the person stands. */
export function levelBelow(search: DataSearch): 'campaign' | 'ad_set' | 'ad' | undefined {
  if (search.ad) return undefined;
  if (search.ad_set) return 'ad';
  return search.campaign ? 'ad_set' : 'campaign';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

// The operations of the ads pipeline: method and path, free of zod (see api/operations.ts).

export const adsOperations = {
  'ads.campaigns': ['GET', '/v1/ads/campaigns'],
  'ads.ad-sets': ['GET', '/v1/ads/ad-sets'],
  'ads.ads': ['GET', '/v1/ads/ads'],
  'ads.daily-metrics': ['GET', '/v1/ads/daily-metrics'],
  'ads.totals': ['GET', '/v1/ads/totals'],
  'ads.provenance': ['GET', '/v1/ads/provenance'],
  'ads.passport': ['GET', '/v1/ads/passport'],
} as const;

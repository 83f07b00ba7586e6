// Columns as the platforms name them in other languages, and as people write them: singular, plural, blanks, units.
import { describe, expect, it } from 'vitest';
import { suggestMapping } from '../../tabular/mapping/suggest-mapping.ts';
import type { ColumnKind, ColumnReading } from '../../tabular/reading.ts';
import { adsFields, presets } from './fields.ts';

const column = (index: number, name: string, kind: ColumnKind): ColumnReading => ({
  index,
  name,
  kind,
  examples: [],
  fillRate: 1,
  emptyMarkers: [],
});
const fieldsOf = (headers: readonly (readonly [string, ColumnKind])[], platform: 'meta' | 'google' | 'tiktok') =>
  suggestMapping(
    headers.map(([name, kind], index) => column(index, name, kind)),
    adsFields,
    presets[platform],
  ).columns.map(({ field }) => field);

const google = (...names: readonly string[]) =>
  names.map(
    (name, n) => [name, (['date', 'text', 'id', 'text', 'money', 'integer', 'integer'] as const)[n] ?? 'text'] as const,
  );

describe('headers of a platform', () => {
  it('that are cut short or speak of the target are known', () => {
    expect(fieldsOf([['Vert.', 'integer']], 'google')).toEqual(['impressions']);
    expect(fieldsOf([['クリック数（遷移先）', 'integer']], 'tiktok')).toEqual(['clicks']);
    expect(fieldsOf([['Portée', 'integer']], 'tiktok')).toEqual(['reach']);
  });

  it('of the APIs are known', () => {
    const names = ['segments.date', 'campaign.name', 'campaign.id', 'ad_group.name', 'metrics.cost_micros'];
    expect(fieldsOf(google(...names), 'google')).toEqual([
      'metric_date',
      'campaign_name',
      'campaign_id',
      'ad_set_name',
      'spend_micros',
    ]);
    const meta = [
      ['date_start', 'date'],
      ['date_stop', 'date'],
      ['campaign_name', 'text'],
      ['spend', 'money'],
    ] as const;
    expect(fieldsOf(meta, 'meta')).toEqual(['date_start', 'date_end', 'campaign_name', 'spend']);
  });

  it.each([
    ['German', ['Tag', 'Kampagne', 'Kampagnen-ID', 'Anzeigengruppe', 'Kosten', 'Impr.', 'Klicks']],
    ['French', ['Jour', 'Campagne', 'ID de campagne', "Groupe d'annonces", 'Coût', 'Impr.', 'Clics']],
    ['Spanish', ['Día', 'Campaña', 'ID de campaña', 'Grupo de anuncios', 'Coste', 'Impresiones', 'Clics']],
    ['Portuguese', ['Dia', 'Campanha', 'ID da campanha', 'Grupo de anúncios', 'Custo', 'Impressões', 'Cliques']],
    ['Italian', ['Giorno', 'Campagna', 'ID campagna', 'Gruppo di annunci', 'Costo', 'Impressioni', 'Clic']],
    ['Dutch', ['Dag', 'Campagne', 'Campagne-ID', 'Advertentiegroep', 'Kosten', 'Vertoningen', 'Klikken']],
    ['Japanese', ['日', 'キャンペーン', 'キャンペーン ID', '広告グループ', '費用', '表示回数', 'クリック数']],
  ])('in %s are known', (_, names) => {
    expect(fieldsOf(google(...names), 'google')).toEqual([
      'metric_date',
      'campaign_name',
      'campaign_id',
      'ad_set_name',
      'spend',
      'impressions',
      'clicks',
    ]);
  });

  it.each([
    [
      'German',
      [
        'Tag',
        'Kampagnenname',
        'Kampagnen-ID',
        'Name der Anzeigengruppe',
        'Ausgegebener Betrag (EUR)',
        'Impressionen',
        'Klicks (alle)',
      ],
    ],
    [
      'Spanish',
      [
        'Día',
        'Nombre de la campaña',
        'ID de la campaña',
        'Nombre del conjunto de anuncios',
        'Importe gastado (EUR)',
        'Impresiones',
        'Clics (todos)',
      ],
    ],
    [
      'Portuguese',
      [
        'Dia',
        'Nome da campanha',
        'Identificação da campanha',
        'Nome do conjunto de anúncios',
        'Valor usado (BRL)',
        'Impressões',
        'Cliques (todos)',
      ],
    ],
    [
      'Italian',
      [
        'Giorno',
        'Nome della campagna',
        'ID della campagna',
        'Nome del gruppo di inserzioni',
        'Importo speso (EUR)',
        'Impressioni',
        'Clic (tutti)',
      ],
    ],
    [
      'Dutch',
      [
        'Dag',
        'Campagnenaam',
        'Campagne-ID',
        'Naam van advertentieset',
        'Uitgegeven bedrag (EUR)',
        'Weergaven',
        'Klikken (alle)',
      ],
    ],
    [
      'Japanese',
      [
        '日',
        'キャンペーンの名前',
        'キャンペーンID',
        '広告セットの名前',
        '消化金額 (JPY)',
        'インプレッション',
        'クリック(すべて)',
      ],
    ],
  ])('of Meta in %s are known', (_, names) => {
    expect(fieldsOf(google(...names), 'meta')).toEqual([
      'metric_date',
      'campaign_name',
      'campaign_id',
      'ad_set_name',
      'spend',
      'impressions',
      'clicks',
    ]);
  });

  it.each([
    ['Costs', 'spend', 'money'],
    ['Cost EUR', 'spend', 'money'],
    ['Spend, USD', 'spend', 'money'],
    ['Cost in GBP', 'spend', 'money'],
    ['AmountSpent', 'spend', 'money'],
    ['Impression', 'impressions', 'integer'],
    ['Click', 'clicks', 'integer'],
    ['Link Click', 'link_clicks', 'integer'],
    ['CampaignName', 'campaign_name', 'text'],
  ] as const)('are known apart from number, blanks and units: %s', (name, field, kind) => {
    expect(fieldsOf([[name, kind]], 'meta')).toEqual([field]);
  });

  it('that are rates of a measure are not that measure', () => {
    expect(
      fieldsOf(
        [
          ['Cost per click', 'money'],
          ['CPC (all) (USD)', 'money'],
          ['Clicks share', 'percent'],
        ],
        'google',
      ),
    ).toEqual([null, null, null]);
  });
});

import { describe, expect, it } from 'vitest';
import { filtersOf, readAskSearch, readFindSearch } from './ask-search.ts';

const id = '0190a7a0-0000-7000-8000-000000000001';

describe('what is searched, as it stands in the address', () => {
  it('is text even where it looks like a number, and every filter reaches the API under its name', () => {
    const search = readFindSearch({ q: 2024, type: 'pdf', tag: 'hr', from: '2026-01-01', source: id, doc: id });
    expect(search.q).toBe('2024');
    expect(filtersOf(search)).toEqual({
      type: ['pdf'],
      tag: ['hr'],
      from: '2026-01-01',
      source_id: id,
      doc_id: [id],
    });
  });

  it('never carries what the API would refuse', () => {
    const search = readFindSearch({
      q: ' ',
      type: 'exe',
      from: 'soon',
      to: '1',
      source: 'x',
      doc: '../..',
      group: 'all',
    });
    expect(search).toEqual({});
    expect(readAskSearch({ query: 'x', conversation: 7, doc: '<b>' })).toEqual({});
  });
});

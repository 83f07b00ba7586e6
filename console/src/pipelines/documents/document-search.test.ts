import { describe, expect, it } from 'vitest';
import { readDocumentSearch, readPlace } from './document-search.ts';

describe('the address of a list of documents', () => {
  it('keeps only what differs from the plain list, and takes numbers as text', () => {
    expect(readDocumentSearch({ search: 2024, status: 'active', page: 1, tag: ' ' })).toEqual({ search: '2024' });
    expect(readDocumentSearch({ status: 'unread', page: '3', tag: 'legal' })).toEqual({
      status: 'unread',
      page: 3,
      tag: 'legal',
    });
    expect(readDocumentSearch({ status: 'everything', page: -1 })).toEqual({});
  });

  it('names a version and a page only by whole numbers', () => {
    expect(readPlace({ version: '2', page: 7 })).toEqual({ version: 2, page: 7 });
    expect(readPlace({ version: 'two', page: 0.5 })).toEqual({});
  });
});

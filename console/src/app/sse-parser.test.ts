import { describe, expect, it } from 'vitest';
import { createSseParser } from './sse-parser.ts';

describe('the event-stream parser', () => {
  it('gives a message only when its blank line has arrived, however the text was cut', () => {
    const feed = createSseParser();
    expect(feed('id: 4\nda')).toEqual([]);
    expect(feed('ta: {"a":1}\n')).toEqual([]);
    expect(feed('\n')).toEqual([{ id: '4', event: 'message', data: '{"a":1}' }]);
  });

  it('swallows comments that only keep the line alive', () => {
    expect(createSseParser()(': still here\n\n')).toEqual([]);
  });

  it('joins data lines and keeps the name of an event', () => {
    expect(createSseParser()('event: dropped\ndata: a\ndata: b\n\n')).toEqual([
      { id: undefined, event: 'dropped', data: 'a\nb' },
    ]);
  });
});

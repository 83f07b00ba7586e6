import { describe, expect, it } from 'vitest';
import { inertText } from './inert-text.ts';

describe('text from files', () => {
  it('cannot turn its own direction round', () => {
    expect(inertText('report\u202Efdp.csv')).toBe('report\ufffdfdp.csv');
  });

  it('shows control and invisible characters as a sign', () => {
    expect(inertText('a\u0000b\u200Bc')).toBe('a\ufffdb\ufffdc');
  });

  it('leaves words of every script alone', () => {
    expect(inertText('Été – 春のセール – تخفيضات')).toBe('Été – 春のセール – تخفيضات');
  });
});

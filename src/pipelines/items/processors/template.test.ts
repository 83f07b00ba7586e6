import { describe, expect, it } from 'vitest';
import { fillBody, fillUrl, isPath, namesIn, valueAt } from './template.ts';

const valueIn = (name: string) => ({ SKU: 'a/b?c', Title: '"quoted"' })[name] ?? '';

describe('templates', () => {
  it('a value cannot leave its place in a URL', () => {
    expect(fillUrl('https://x.test/p/{{SKU}}?q={{ Title }}', valueIn)).toBe(
      'https://x.test/p/a%2Fb%3Fc?q=%22quoted%22',
    );
    expect(namesIn('{{a}} {{ b c }}')).toEqual(['a', 'b c']);
  });

  it('a body stays JSON whatever the cells hold', () => {
    expect(fillBody({ q: ['{{Title}}', 1, null], deep: { x: 'sku {{SKU}}' } }, valueIn)).toEqual({
      q: ['"quoted"', 1, null],
      deep: { x: 'sku a/b?c' },
    });
  });

  it('paths lead to own values only', () => {
    const answer = { product: { offers: [{ price: 3 }] } };
    expect(valueAt(answer, 'product.offers[0].price')).toBe(3);
    expect(valueAt(answer, '$.product.offers[1].price')).toBeUndefined();
    expect(valueAt(answer, 'product.constructor')).toBeUndefined();
    expect(['a.b', '$', '$.a[0]', '[0].x'].every(isPath)).toBe(true);
    expect(['a..b', '', 'a[x]', 'a b'].some(isPath)).toBe(false);
  });
});

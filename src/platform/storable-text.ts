// Text that Postgres can hold: jsonb and text know no NUL, and a lone surrogate is not UTF-8.

const halfCharacter = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function storableText(text: string): string {
  const whole = /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '\uFFFD') : whole;
}

/** Whether it can be stored as it is: no NUL, no half character. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !halfCharacter.test(text);
}

/** In JSON both are escaped, so most texts need not be looked at one by one. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return storableText(each);
    return isPlainObject(each) ? withStorableKeys(each) : each;
  });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withStorableKeys(object: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(object).every(isStorableText)) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [storableText(key), value]));
}

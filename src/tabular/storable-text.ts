// Text that Postgres can hold: jsonb and text know no NUL, and a lone surrogate is not UTF-8.

export function storableText(text: string): string {
  const whole = /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;
  return whole.replaceAll('\u0000', '\uFFFD');
}

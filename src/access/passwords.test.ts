import { describe, expect, it } from 'vitest';
import { checkPassword, hashPassword, makeOneTimePassword } from './passwords.ts';

describe('a password', () => {
  it('is kept as bcrypt of cost 12, each time with a salt of its own', async () => {
    const [one, two] = await Promise.all([hashPassword('a long enough one'), hashPassword('a long enough one')]);
    expect(one).toMatch(/^\$2[aby]\$12\$[./A-Za-z0-9]{53}$/);
    expect(one).not.toBe(two);
    expect(await checkPassword('a long enough one', one)).toBe(true);
    expect(await checkPassword('another long one', one)).toBe(false);
  });

  it('is computed beside the event loop: others go on meanwhile', async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    await hashPassword('a long enough one');
    clearInterval(ticking);
    // On the event loop there would be none.
    expect(turns).toBeGreaterThan(5);
  });

  it('that bcrypt would cut is refused, and never matches the part that is left of it', async () => {
    await expect(hashPassword('x'.repeat(73))).rejects.toMatchObject({ code: 'password_weak' });
    const kept = await hashPassword('x'.repeat(72));
    expect(await checkPassword('x'.repeat(73), kept)).toBe(false);
  });

  it('of nobody takes a check as well, and is never right', async () => {
    expect(await checkPassword('whatever it may be', undefined)).toBe(false);
  });

  it('for one use is long and easy to read aloud', () => {
    const made = new Set(Array.from({ length: 100 }, makeOneTimePassword));
    expect(made.size).toBe(100);
    for (const each of made) expect(each).toMatch(/^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){4}$/);
  });
});

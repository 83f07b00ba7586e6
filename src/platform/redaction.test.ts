// What the patterns hide and, as important, what they leave alone.
import { describe, expect, it } from 'vitest';
import { hideQuoted, redactText } from './redaction.ts';

const jwt =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c';

describe('redaction', () => {
  it.each([
    ['a web token with its signature', `got ${jwt} here`, 'got [JWT_REDACTED] here'],
    ['a cut web token', 'got eyJhbGciOiJIUzI1NiIsInR5 here', 'got [JWT_REDACTED] here'],
    ['a postgres:// address', 'open postgres://u:pw@db.example:5432/x now', 'open [DSN_REDACTED] now'],
    ['a postgresql:// address', 'open postgresql://u:pw@h/x now', 'open [DSN_REDACTED] now'],
    ['a password with @ in it', 'open postgres://u:p@ss@w0rd@h/x now', 'open [DSN_REDACTED] now'],
    ['a password with a quote in it', `open postgres://u:p"ss@h/x now`, 'open [DSN_REDACTED] now'],
    ['an address in JSON', '{"url":"postgres://u:p@h/d","n":1}', '{"url":"[DSN_REDACTED]","n":1}'],
    ['a password in another address', 'ftp://bob:s3cret@h/file gone', 'ftp://[REDACTED]@h/file gone'],
    ['an e-mail address', "mail to jane.o'neil+x@mail.example.co.uk, please", 'mail to [EMAIL_REDACTED], please'],
    ['an international e-mail address', 'mail Jörg.Müller@müller.example', 'mail [EMAIL_REDACTED]'],
    ['an encoded e-mail address', 'GET /u?mail=jane%40example.com', 'GET /u?mail=[EMAIL_REDACTED]'],
    ['a social security number', 'ssn 078-05-1120.', 'ssn [SSN_REDACTED].'],
    ['a social security number with other dashes', 'no 078–05–1120', 'no [SSN_REDACTED]'],
    ['a US phone number', 'call (415) 555-0132 now', 'call [PHONE_REDACTED] now'],
    ['a US phone number with dots', 'at 415.555.0132', 'at [PHONE_REDACTED]'],
    ['an international phone number', 'ring +49 30 901820 today', 'ring [PHONE_REDACTED] today'],
    ['a bare phone number', 'ring 4155550132 today', 'ring [NUMBER_REDACTED] today'],
    ['a card number', 'card 4111 1111 1111 1111 ok', 'card [CARD_REDACTED] ok'],
    ['password=', 'host=h password=hunter2 user=u', 'host=h password=[REDACTED] user=u'],
    ['PGPASSWORD', 'PGPASSWORD=hunter2 psql', 'PGPASSWORD=[REDACTED] psql'],
    ['a quoted password', `{"password": "hunter 2", "a": 1}`, `{"password": [REDACTED], "a": 1}`],
    ['an escaped quoted password', `{\\"password\\":\\"hunter 2\\"}`, `{\\"password\\":[REDACTED]}`],
    ['an api key in a query', 'GET /x?api_key=abc123&page=2', 'GET /x?api_key=[REDACTED]&page=2'],
    ['a bearer token', 'authorization Bearer abc.def-123 sent', 'authorization Bearer [TOKEN_REDACTED] sent'],
    ['a basic credential', 'Basic dXNlcjpwYXNzd29yZA== sent', 'Basic [TOKEN_REDACTED] sent'],
    ['a spoken password', 'the password is hunter2', 'the password is [REDACTED]'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE used', '[TOKEN_REDACTED] used'],
    ['a GitHub token', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a', '[TOKEN_REDACTED]'],
    ['a Discord webhook', 'to https://discord.com/api/webhooks/123/abc-def', 'to [WEBHOOK_REDACTED]'],
    ['a hex secret', 'key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b used', 'key [SECRET_REDACTED] used'],
    ['a base64 secret', 'key dGhpcyBpcyBhIHNlY3JldA8Jq2Kd9sLmZ7xQ0w== used', 'key [SECRET_REDACTED] used'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end', '[KEY_REDACTED] end'],
  ])('hides %s', (_what, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    ['an e-mail address', 'jane.doe@example.com'],
    ['a social security number', '078-05-1120'],
    ['a database address', 'postgres://u:pw@h/d'],
    ['a phone number', '+1 415 555 0132'],
  ])('hides %s in base64, base64url, hex and percent encoding', (_what, plain) => {
    const bytes = Buffer.from(plain);
    const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const encoded of [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      percent,
      encodeURIComponent(plain),
    ]) {
      expect(redactText(`x ${encoded} y`)).not.toContain(encoded);
    }
  });

  it.each([
    'run 0190b0f4-1c5a-7d2e-9c3b-5f2f0a8a1b2c moved from pending to processing',
    'connected to 10.0.0.12:5432 in 12 ms; mail is off',
    'listening on http://127.0.0.1:8080/docs?x=a',
    '2026-11-15T22:10:11.123Z took 1,204 rows of 50112 (99.56 %)',
    'has 104857600 bytes; at most 52428800 are taken',
    'received 12345678901 bytes',
    'epoch 1763244611 and 1763244611123',
    'migration 0001_engine.sql applied; version 18.4.0-beta.17',
    'the token expired; the password is not set; bearer tokens are needed',
    'a basic example of a secret meeting',
    'lease of attempt 3 was lost at 14:02:10',
    'at Object.<anonymous> (/home/user/projects/millrace/src/platform/embedded/supervisor-link.ts:120:15)',
    'constraint runs_done_receipt_balances of relation engine.runs',
    'GET /v1/runs/0190b0f4-1c5a-7d2e-9c3b-5f2f0a8a1b2c/rejects?limit=50',
    'internationalisation-of-everything-in-the-whole-wide-world',
    'read 10 = 4 inserted + 3 updated + 2 unchanged + 1 rejected',
  ])('leaves "%s" alone', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('does not eat the text up to an unrelated @', () => {
    expect(redactText('postgresql://localhost/db opened by the worker; see notes @ home')).toBe(
      '[DSN_REDACTED] opened by the worker; see notes @ home',
    );
    expect(redactText('see http://host:8080/path?mail=off and write to @ops')).toBe(
      'see http://host:8080/path?mail=off and write to @ops',
    );
  });

  it('is not slowed down by hostile text', () => {
    const shapes = ['a@', 'password', '1-', '%41', 'eyJ', 'A1b', '"', '+1 ', 'postgres://', 'a.', '0'.repeat(50), "'"];
    const before = process.cpuUsage();
    for (const shape of shapes) redactText(shape.repeat(100_000 / shape.length));
    for (const shape of shapes) hideQuoted(shape.repeat(100_000 / shape.length));
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});

describe('foreign messages', () => {
  it('lose what stands in quotes, but keep identifiers of the schema', () => {
    expect(hideQuoted('duplicate key value violates unique constraint "runs_unique_key"')).toContain(
      '"runs_unique_key"',
    );
    expect(hideQuoted('invalid input syntax for type integer: "Jane Doe"')).toBe(
      'invalid input syntax for type integer: "…"',
    );
    expect(hideQuoted(`ENOENT: no such file or directory, open '/data/Jane Doe.csv'`)).toBe(
      `ENOENT: no such file or directory, open '…'`,
    );
    expect(hideQuoted(`Unexpected token 'J', "Jane Doe,"... is not valid JSON`)).not.toContain('Jane');
  });

  it('keep apostrophes', () => {
    expect(hideQuoted(`the worker's lease wasn't renewed`)).toBe(`the worker's lease wasn't renewed`);
  });

  it('lose an unfinished quote to the end', () => {
    expect(hideQuoted('bad value "Jane Doe')).toBe('bad value "…"');
  });
});

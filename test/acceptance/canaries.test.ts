// Secrets and personal data are sent by every way in: configuration, passwords, keys, rows, file names, broken requests. Then every
// operation of the route table is called and everything that leaves is searched: answers and their headers, log lines, metrics, live
// feeds, webhooks, alerts, and the tables of events, audit and sends. A secret stands nowhere. Personal data stands only in the answers
// whose purpose is to show it to its owner; they are listed with the reason.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findHidden } from '../support/canary-spellings.ts';
import { isolationMatrix } from '../support/isolation-matrix.ts';
import { type CanaryInstallation, closeCanaries, openCanaries } from './canary-installation.ts';
import {
  addressShown,
  allPeople,
  allSecrets,
  type OperationId,
  people,
  secrets,
  shownToOwner,
} from './canary-words.ts';

let installation: CanaryInstallation;

beforeAll(async () => {
  installation = await openCanaries();
});
afterAll(closeCanaries);

describe('what leaves the installation', () => {
  it('was looked at: every operation has answered, every receiver has heard', () => {
    const answered = new Set(installation.said.map(({ operation }) => operation));
    const left = (Object.keys(isolationMatrix) as OperationId[]).filter((operation) => !answered.has(operation));
    expect(left).toEqual(['auth.logout', 'auth.password', 'live.socket']);
    expect(installation.log.length).toBeGreaterThan(3_000);
    expect(installation.metrics).toContain('millrace_');
  });

  it('no answer repeats a secret, to anybody', () => {
    const found = installation.said.flatMap(({ where, operation, text }) => {
      const isAddress = operation !== undefined && addressShown.has(operation);
      const wanted = allSecrets.filter((canary) => !isAddress || canary !== secrets.hook);
      return findHidden(text, wanted).map((canary) => `${where}: ${canary}`);
    });
    expect(found).toEqual([]);
  });

  it('answers show personal data where that is their purpose, and nowhere else', () => {
    const found = installation.said.filter(({ text }) => findHidden(text, allPeople).length > 0);
    const elsewhere = found.filter(({ operation }) => operation === undefined || shownToOwner[operation] === undefined);
    expect(elsewhere.map(({ where, text }) => `${where}: ${findHidden(text, allPeople)}`)).toEqual([]);
    // It was there to be found.
    for (const operation of [
      'rejects.list',
      'judgments.list',
      'ads.campaigns',
      'runs.list',
      'uploads.original',
    ] as const)
      expect([operation, found.some((each) => each.operation === operation)]).toEqual([operation, true]);
  });

  it('no log line and no metric holds a secret, a person or the name of a file', () => {
    expect(findHidden(installation.metrics, [...allSecrets, ...allPeople])).toEqual([]);
    const lines = installation.log
      .split('\n')
      .flatMap((line) =>
        findHidden(line, [...allSecrets, ...allPeople]).map((canary) => `${canary}: ${line.slice(0, 300)}`),
      );
    expect(lines).toEqual([]);
  });

  it('no webhook and no alert holds a secret, a person or the name of a file', () => {
    const found = installation.sent.flatMap(({ path, text }) => {
      // PagerDuty is told its own key: that is how it knows whom to ring.
      const own = path.startsWith('/pagerduty')
        ? secrets.routing
        : path.startsWith('/ownpager')
          ? secrets.tenantRouting
          : undefined;
      const wanted = [...allSecrets, ...allPeople].filter((canary) => canary !== own);
      return findHidden(text, wanted).map((canary) => `${path.split('/')[1]}: ${canary} ${text.slice(-300)}`);
    });
    expect(found).toEqual([]);
    expect(installation.sent.length).toBeGreaterThan(10);
  });

  it.each([
    ['engine.events', [...allSecrets, ...allPeople]],
    ['engine.alerts', [...allSecrets, ...allPeople]],
    ['engine.alert_sends', [...allSecrets, ...allPeople]],
    ['engine.deliveries', [...allSecrets, ...allPeople]],
    ['engine.delivery_tries', [...allSecrets, ...allPeople]],
    ['engine.attempts', [...allSecrets, ...allPeople]],
    ['public.audit_log', [...allSecrets, ...allPeople]],
    ['engine.alert_sinks', allSecrets],
    ['engine.webhook_endpoints', [secrets.password]],
    ['public.users', allSecrets],
    ['public.api_keys', allSecrets],
    ['engine.runs', allSecrets],
  ] as const)('nothing of it is kept in the words of %s', async (table, wanted) => {
    const rows = await installation.database.query<{ text: string }>(
      `select to_jsonb(t)::text as text from ${table} t`,
    );
    expect(findHidden(rows.map(({ text }) => text).join('\n'), wanted)).toEqual([]);
  });
});

describe('the search itself', () => {
  it.each([
    ['as it is', people.email],
    ['in another case', people.email.toUpperCase()],
    ['in base64', Buffer.from(`x${people.email}y`).toString('base64')],
    ['URL-encoded', encodeURIComponent(people.email)],
    ['in hex', Buffer.from(people.email).toString('hex')],
    ['cut', people.email.slice(0, -5)],
  ])('finds what is planted %s', (_, text) => {
    expect(findHidden(`{"a": "${text}"}`, [people.email])).toEqual([people.email]);
  });
});

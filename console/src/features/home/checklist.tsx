import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useIs } from '../../app/session.ts';
import { kits } from '../../pipelines/all.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { alertSinksQuery } from '../alerts/list-alerts.ts';
import { keysQuery } from '../operate/list-keys.ts';
import { usersQuery } from '../operate/list-users.ts';
import { runQuery } from '../run/show-run.ts';
import { recentRunsQuery } from '../runs/list-recent-runs.ts';
import { checklist } from './checklist-state.ts';

const dismissedKey = 'millrace.checklist.dismissed';

const kitSteps = kits.flatMap(({ firstStep }) => firstStep ?? []);

/** Where a step is taken, when it is not here. */
const places: Readonly<Record<string, string>> = {
  invite: '/operate/people',
  key: '/operate/keys',
  ...Object.fromEntries(kitSteps.map(({ key, to }) => [key, to])),
  alert: '/operate/alerts',
};

/** The first steps. Goes away when dismissed or when all is done. */
export function Checklist(): ReactNode {
  const isAdmin = useIs('admin');
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(dismissedKey) === 'yes');
  const runs = useQuery(recentRunsQuery);
  const newest = runs.data?.data.find((run) => run.rejects.total > 0);
  const rejected = useQuery({ ...runQuery(newest?.run_id ?? ''), enabled: newest !== undefined && !dismissed });
  const users = useQuery({ ...usersQuery, enabled: isAdmin && !dismissed });
  const keys = useQuery({ ...keysQuery, enabled: isAdmin && !dismissed });
  const more = useQueries({ queries: kitSteps.map(({ isDone }) => ({ ...isDone, enabled: isAdmin && !dismissed })) });
  const sinks = useQuery({ ...alertSinksQuery, enabled: isAdmin && !dismissed });
  // Waits for all facts, so that the list does not grow before the reader's eyes.
  if (dismissed || !runs.data || (isAdmin && [users, keys, ...more, sinks].some((each) => each.isPending))) return null;
  const steps = checklist({
    runs: runs.data.data,
    rejects: rejected.data?.rejects,
    users: users.data?.data.length,
    keys: keys.data?.data.length,
    more: isAdmin ? kitSteps.map(({ key, label }, index) => ({ key, label, done: more[index]?.data === true })) : [],
    sinks: sinks.data?.data.length,
  });
  const left = steps.filter((step) => !step.done).length;
  if (left === 0) return null;
  const dismiss = () => {
    localStorage.setItem(dismissedKey, 'yes');
    setDismissed(true);
  };
  return (
    <section aria-labelledby="checklist-title" className="card px-4 py-3">
      <div className="flex items-center justify-between">
        <h2 id="checklist-title" className="text-sm">
          First steps <span className="font-normal text-ink-3">· {left} to go</span>
        </h2>
        <Button small look="quiet" onClick={dismiss}>
          Dismiss
        </Button>
      </div>
      <ol className="mt-2 grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
        {steps.map((step) => {
          const place = places[step.key];
          return (
            <li key={step.key} className={`flex items-center gap-2 text-sm ${step.done ? 'text-ink-3' : 'text-ink'}`}>
              <span
                aria-hidden="true"
                className={`grid size-4.5 place-items-center rounded-full border ${step.done ? 'border-good bg-good-soft text-good' : 'border-line-strong'}`}
              >
                {step.done && <Icon name="check" className="size-3!" />}
              </span>
              <span className={step.done ? 'line-through decoration-line-strong' : ''}>
                {place && !step.done ? (
                  <Link to={place} className="link">
                    {step.label}
                  </Link>
                ) : (
                  step.label
                )}
              </span>
              <span className="sr-only">{step.done ? 'done' : 'to do'}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

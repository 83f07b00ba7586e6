import type { ReactNode } from 'react';
import { bytes, duration } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import type { Source } from './list-sources.ts';

const credentials: Record<Source['credential'], string> = {
  none: 'none',
  keys: 'access keys (stored encrypted)',
  password: 'user and password (stored encrypted)',
  private_key: 'user and private key (stored encrypted)',
};
const afterwards: Record<Source['after_taken'], string> = {
  leave: 'stay where they are',
  move: 'are moved away',
  tag: 'are tagged',
};

/** How it is set up, without its credential: that goes in and never comes out. */
export function SourceSettings({ source }: { source: Source }): ReactNode {
  const hostKey = source.place.host_key;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Place', source.address],
    ['Endpoint', textOf(source.place.endpoint)],
    ['Role', textOf(source.place.role_arn)],
    ['Host key', textOf(hostKey)],
    ['Encryption', source.kind === 'ftp' ? textOf(source.place.tls) : undefined],
    ['Credential', credentials[source.credential]],
    ['Notification queue', source.queue_url ?? undefined],
    ['Feeds', source.pipeline],
    ...Object.entries(source.fields).map(([name, value]) => [`${source.pipeline}: ${name}`, value] as const),
    ['Title', source.title_pattern ?? undefined],
    ['Only', source.include.join(', ') || undefined],
    ['Not', source.exclude.join(', ') || undefined],
    ['Largest', source.max_bytes === null ? 'the limit of uploads' : bytes(source.max_bytes)],
    ['After intake', afterwards[source.after_taken]],
    ['Complete after', source.settle_seconds === 0 ? 'at once' : duration(source.settle_seconds * 1_000)],
    ['Schedule', source.cron === null ? 'only when asked' : `${source.cron} (${source.time_zone})`],
    ['Stale after', duration(source.stale_after_seconds * 1_000)],
  ];
  return (
    <Panel title="How it is set up">
      <dl className="grid grid-cols-1 gap-x-6 gap-y-1 px-4 py-3 text-sm sm:grid-cols-[max-content_1fr]">
        {facts
          .filter((fact): fact is readonly [string, string] => fact[1] !== undefined)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-2">{name}</dt>
              <dd className="min-w-0 wrap-anywhere">{inertText(value)}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

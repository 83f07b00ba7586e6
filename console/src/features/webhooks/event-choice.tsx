import type { ReactNode } from 'react';
import { defaultWebhookEvents, webhookEvents } from '../../../../src/contract/api/webhook-events.ts';

const names = Object.keys(webhookEvents) as (keyof typeof webhookEvents)[];

interface Props {
  readonly chosen: readonly string[];
  readonly onChoose: (patterns: readonly string[]) => void;
}

/** Which events an endpoint is told about: all, or some by name. */
export function EventChoice({ chosen, onChoose }: Props): ReactNode {
  const everything = chosen.includes('*');
  const toggle = (name: string) =>
    onChoose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]);
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-xs font-medium text-ink-2">It receives</legend>
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={everything}
          onChange={(event) => onChoose(event.target.checked ? ['*'] : defaultWebhookEvents)}
        />
        all events, also those of future pipelines
      </label>
      {!everything && (
        <div className="grid grid-cols-1 gap-1.5 md:grid-cols-2">
          {names.map((name) => (
            <label key={name} className="flex items-baseline gap-2 text-sm">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              <span>
                <code className="figures text-xs">{name}</code>{' '}
                <span className="text-xs text-ink-2">{webhookEvents[name]}</span>
              </span>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  );
}

// What a person says of a connector, when it is added and when it is changed.
import type { ReactNode } from 'react';
import { Field } from '../../ui/field.tsx';
import { intervalHint } from './connector-interval.ts';

export interface ConnectorWords {
  readonly name: string;
  readonly account: string;
  readonly hours: string;
}

interface Props {
  readonly words: ConnectorWords;
  readonly onChange: (words: ConnectorWords) => void;
}

export function ConnectorFields({ words, onChange }: Props): ReactNode {
  const { name, account, hours } = words;
  return (
    <>
      <Field
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => onChange({ ...words, name: event.target.value })}
      />
      <Field
        label="Account"
        required
        maxLength={200}
        value={account}
        onChange={(event) => onChange({ ...words, account: event.target.value })}
        hint="The account at the source that this connection reads."
      />
      <Field
        label="Every how many hours"
        type="number"
        min={1}
        max={8760}
        value={hours}
        onChange={(event) => onChange({ ...words, hours: event.target.value })}
        hint={intervalHint}
      />
    </>
  );
}

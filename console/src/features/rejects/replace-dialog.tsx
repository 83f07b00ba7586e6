import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { Fix } from './fix-dialog.tsx';
import type { Cluster } from './list-clusters.ts';

interface Props {
  readonly cluster: Cluster;
  readonly column: string;
  readonly onFix: (fix: Fix) => void;
  readonly onClose: () => void;
}

/** Where no suggested fix, a person may say what a value should have been; it is then tried on every row that has it. */
export function ReplaceDialog({ cluster, column, onFix, onClose }: Props): ReactNode {
  const [from, setFrom] = useState(cluster.examples[0]?.value ?? '');
  const [to, setTo] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFix({ kind: 'replace', label: `“${from}” becomes “${to}”`, column, params: { from, to } });
  };
  return (
    <Modal title={`Replace a value in ${column}`} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Wherever it says exactly"
          required
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <Field label="it should say" required autoFocus value={to} onChange={(event) => setTo(event.target.value)} />
        <Button type="submit" look="main" className="self-end">
          Preview the changes
        </Button>
      </form>
    </Modal>
  );
}

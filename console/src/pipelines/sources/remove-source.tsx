import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { inertText } from '../../ui/inert-text.ts';
import type { Source } from './list-sources.ts';
import { WhatBecomes, type WhatBecomesOf } from './what-becomes.tsx';

interface Props {
  readonly source: Source;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

/** Removing a source says what becomes of what it brought. */
export function RemoveSource({ source, onClose, onRemoved }: Props): ReactNode {
  const [what, setWhat] = useState<WhatBecomesOf>('keep');
  const { live } = source.objects;
  return (
    <FormDialog
      title={`Remove ${inertText(source.name)}?`}
      submit="Remove"
      danger
      send={async () => {
        const query = live > 0 ? { objects: what } : {};
        await call('sources.remove', { params: { source_id: source.source_id }, query });
        onRemoved?.();
      }}
      refresh={['operate', 'sources']}
      onClose={onClose}
    >
      <p>
        Millrace stops syncing it and deletes its credential. It changes nothing in the place itself; runs and receipts
        stay.
      </p>
      {live > 0 && <WhatBecomes count={live} value={what} onChoose={setWhat} />}
    </FormDialog>
  );
}

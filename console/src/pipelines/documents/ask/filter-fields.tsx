import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { inertText } from '../../../ui/inert-text.ts';
import { documentQuery } from '../show-document.ts';
import type { FindSearch } from './ask-search.ts';
import { sourceNamesQuery } from './asking.ts';

interface Props {
  readonly value: FindSearch;
  readonly onChange: (value: FindSearch) => void;
}

const names = ['type', 'tag', 'from', 'to', 'source', 'doc'] as const;
const types = ['pdf', 'docx', 'html', 'txt', 'md'] as const;

/** Which documents are looked into. All of them hold together. */
export function FilterFields({ value, onChange }: Props): ReactNode {
  const id = useId();
  const set = (name: (typeof names)[number], text: string) => {
    const { [name]: _, ...others } = value;
    onChange(text === '' ? others : { ...others, [name]: text });
  };
  // Open while one is set at first; afterwards only the reader closes it, also when a field was emptied.
  const [isOpen, setOpen] = useState(names.some((name) => name in value));
  return (
    <details className="text-sm" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="link w-fit cursor-pointer">Only some documents</summary>
      <div className="mt-2 flex flex-wrap items-end gap-2">
        <label htmlFor={`${id}-type`} className="flex flex-col gap-1 text-xs text-ink-2">
          Type
          <select
            id={`${id}-type`}
            value={value.type ?? ''}
            onChange={(event) => set('type', event.target.value)}
            className="control"
          >
            <option value="">any</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type.toUpperCase()}
              </option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}-tag`} className="flex flex-col gap-1 text-xs text-ink-2">
          Tag
          <input
            id={`${id}-tag`}
            maxLength={100}
            value={value.tag ?? ''}
            onChange={(event) => set('tag', event.target.value)}
            className="control w-32"
          />
        </label>
        <label htmlFor={`${id}-from`} className="flex flex-col gap-1 text-xs text-ink-2">
          Ingested from
          <input
            id={`${id}-from`}
            type="date"
            value={value.from ?? ''}
            onChange={(event) => set('from', event.target.value)}
            className="control"
          />
        </label>
        <label htmlFor={`${id}-to`} className="flex flex-col gap-1 text-xs text-ink-2">
          to
          <input
            id={`${id}-to`}
            type="date"
            value={value.to ?? ''}
            onChange={(event) => set('to', event.target.value)}
            className="control"
          />
        </label>
        {isOpen && (
          <SourceChoice id={`${id}-source`} value={value.source ?? ''} onChange={(source) => set('source', source)} />
        )}
      </div>
      {value.doc !== undefined && <OneDocument docId={value.doc} onClear={() => set('doc', '')} />}
    </details>
  );
}

interface SourceChoiceProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (sourceId: string) => void;
}

/** Only where there are sources: most installations begin with uploads alone. */
function SourceChoice({ id, value, onChange }: SourceChoiceProps): ReactNode {
  const sources = useQuery(sourceNamesQuery).data?.data ?? [];
  if (sources.length === 0 && value === '') return null;
  return (
    <label htmlFor={id} className="flex flex-col gap-1 text-xs text-ink-2">
      Source
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)} className="control max-w-56">
        <option value="">any</option>
        {value !== '' && !sources.some((source) => source.source_id === value) && (
          <option value={value}>a source that is gone</option>
        )}
        {sources.map((source) => (
          <option key={source.source_id} value={source.source_id}>
            {inertText(source.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function OneDocument({ docId, onClear }: { docId: string; onClear: () => void }): ReactNode {
  const document = useQuery(documentQuery(docId));
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2 text-sm">
      <span className="wrap-anywhere">
        Only in{' '}
        {document.data ? (
          <strong>{inertText(document.data.title)}</strong>
        ) : document.isError ? (
          'a document that is gone'
        ) : (
          'one document'
        )}
      </span>
      <Button small icon="cross" onClick={onClear}>
        All documents
      </Button>
    </p>
  );
}

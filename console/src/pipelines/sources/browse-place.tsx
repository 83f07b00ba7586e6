// Tests a connection and shows the directories below the prefix and the first objects.
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, call, hasCode } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { ProblemNote } from '../../ui/states.tsx';
import type { Preview } from './list-sources.ts';
import { PreviewTable } from './preview-table.tsx';
import { placeBody, type SourceDraft } from './source-draft.ts';

interface Props {
  readonly draft: SourceDraft;
  readonly onChange: (draft: SourceDraft) => void;
  readonly found: Preview | undefined;
  readonly onFound: (found: Preview | undefined) => void;
  /** Its stored credential is used where none is typed. */
  readonly sourceId?: string | undefined;
}

export function BrowsePlace({ draft, onChange, found, onFound, sourceId }: Props): ReactNode {
  const test = useMutation({
    mutationFn: (prefix: string) => {
      const body = { ...placeBody({ ...draft, prefix }), ...(sourceId === undefined ? {} : { source_id: sourceId }) };
      return call('sources.preview', { body });
    },
    onMutate: () => onFound(undefined),
    onSuccess: onFound,
  });
  const go = (prefix: string) => {
    onChange({ ...draft, prefix });
    test.mutate(prefix);
  };
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Button
          type="submit"
          look={found ? 'plain' : 'main'}
          busy={test.isPending}
          onClick={(event) => {
            // The form's own check of required fields speaks first.
            if (event.currentTarget.form?.reportValidity() !== true) return;
            event.preventDefault();
            test.mutate(draft.prefix);
          }}
        >
          Test the connection
        </Button>
      </div>
      {test.isError && <ProblemNote error={test.error} />}
      <HostKey draft={draft} shown={found?.host_key ?? refusedKey(test.error)} onChange={onChange} />
      {found && (
        <section aria-label="What is there" className="flex flex-col gap-3">
          <p className="text-sm">
            <span className="text-good">✓</span> {inertText(found.address)} can be reached.
          </p>
          <Directories prefix={draft.prefix} directories={found.directories} onGo={go} />
          <PreviewTable preview={found} isJudged={false} />
        </section>
      )}
    </div>
  );
}

/** An SFTP server is who it says it is only if a person knows its key: it is shown and confirmed before it is pinned. */
function HostKey({ draft, shown, onChange }: Pick<Props, 'draft' | 'onChange'> & { shown: string | null }): ReactNode {
  if (shown === null) return null;
  const isConfirmed = sameKey(draft.place.host_key, shown);
  return (
    <label className="flex items-start gap-2 rounded-md border border-warn bg-warn-soft px-3 py-2 text-sm">
      <input
        type="checkbox"
        checked={isConfirmed}
        onChange={() => onChange({ ...draft, place: { ...draft.place, host_key: isConfirmed ? '' : shown } })}
        className="mt-1"
      />
      <span className="min-w-0">
        The server shows the key <code className="figures wrap-anywhere">{shown}</code>. I compared it with the key that
        the server's owner published. Millrace connects only to a server with this key.
      </span>
    </label>
  );
}

/** The key of a server that shows another one than is pinned: a person may accept it in its place. */
function refusedKey(error: unknown): string | null {
  if (!hasCode(error, 'source_host_key_changed') || !(error instanceof ApiError)) return null;
  return /SHA256:[A-Za-z0-9+/]{43}/.exec(error.problem.detail)?.[0] ?? null;
}

export function sameKey(pinned: string | undefined, shown: string | null): boolean {
  return shown === null || pinned?.replace(/=+$/, '') === shown.replace(/=+$/, '');
}

function Directories({
  prefix,
  directories,
  onGo,
}: {
  prefix: string;
  directories: readonly string[];
  onGo: (prefix: string) => void;
}): ReactNode {
  if (prefix === '' && directories.length === 0) return null;
  const above = prefix.replace(/[^/]+\/?$/, '');
  return (
    <nav aria-label="Directories" className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-ink-2">{prefix === '' ? 'Everything, or only' : `In ${inertText(prefix)}`}</span>
      {prefix !== '' && (
        <Button small look="quiet" icon="undo" onClick={() => onGo(above)}>
          {above === '' ? 'everything' : inertText(above)}
        </Button>
      )}
      {directories.map((directory) => (
        <Button key={directory} small icon="right" onClick={() => onGo(directory)}>
          {inertText(directory)}
        </Button>
      ))}
    </nav>
  );
}

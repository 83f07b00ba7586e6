import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { problemOf } from '../../app/api.ts';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/figures.ts';
import { Icon, type IconName } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { sentence } from '../../ui/sentence.ts';
import type { Kind } from './kind.ts';
import { kindsOf } from './kinds.ts';
import { answerKind, dismiss, dismissStored, type TrayFile, tryAgain, useTray } from './tray-store.ts';
import { UploadProgress } from './upload-progress.tsx';

/** The dropped files that have no run yet, and those whose run nobody has opened, in the corner of every page. */
export function Tray(): ReactNode {
  const here = useLocation({ select: (location) => location.pathname });
  const all = useTray();
  const opened = all.find(({ answer }) => answer && here.startsWith(`/r/${answer.upload_id}`))?.key;
  useEffect(() => {
    if (opened !== undefined) dismiss(opened);
  }, [opened]);
  const files = all.filter(({ key }) => key !== opened);
  if (files.length === 0) return null;
  const stored = files.filter(({ state }) => state === 'stored').length;
  return (
    <section
      aria-label="Uploads"
      className="fixed right-3 bottom-17 z-40 flex max-h-[70dvh] w-[min(26rem,calc(100vw-1.5rem))] flex-col gap-2 overflow-y-auto md:bottom-3"
    >
      {files.length > 1 && (
        <p className="flex items-center justify-between rounded-lg border border-line-strong bg-raised px-3 py-1.5 text-xs text-ink-2 shadow-lg">
          {stored} of {plural(files.length, 'file')} stored
          {stored > 0 && (
            <Button small look="quiet" onClick={dismissStored}>
              Clear finished files
            </Button>
          )}
        </p>
      )}
      {files.map((file) => (
        <Entry key={file.key} entry={file} />
      ))}
    </section>
  );
}

const icons: Record<TrayFile['state'], IconName> = {
  looking: 'file',
  asking: 'file',
  sending: 'file',
  stored: 'check',
  refused: 'warn',
};

function Entry({ entry }: { entry: TrayFile }): ReactNode {
  const { key, file, state } = entry;
  const edge = state === 'refused' ? 'border-bad' : state === 'asking' ? 'border-warn' : 'border-line-strong';
  return (
    <div className={`shrink-0 rounded-lg border bg-raised p-3 shadow-lg ${edge}`}>
      <div className="mb-1.5 flex items-center gap-2">
        <Icon name={icons[state]} className={state === 'refused' ? 'text-bad' : 'text-water'} />
        <span className="min-w-0 flex-1 truncate font-medium" title={file.name}>
          {inertText(file.name)}
        </span>
        {state === 'sending' ? (
          <Button small look="quiet" onClick={() => dismiss(key)}>
            Stop
          </Button>
        ) : (
          <Button
            small
            look="quiet"
            icon="cross"
            aria-label={state === 'stored' ? 'Dismiss' : `Leave ${inertText(file.name)} out`}
            onClick={() => dismiss(key)}
          />
        )}
      </div>
      <Body entry={entry} />
    </div>
  );
}

function Body({ entry }: { entry: TrayFile }): ReactNode {
  switch (entry.state) {
    case 'looking':
      return <p className="text-xs text-ink-2">Looking at what it is…</p>;
    case 'asking':
      return <AskKind entry={entry} />;
    case 'sending':
      return <UploadProgress upload={entry} />;
    case 'stored':
      return <Stored entry={entry} />;
    case 'refused':
      return <Refused entry={entry} />;
  }
}

function AskKind({ entry: { key, file } }: { entry: TrayFile }): ReactNode {
  const kinds: readonly Kind[] = kindsOf(useQuery(pipelinesQuery).data?.data ?? []);
  return (
    <fieldset aria-label={`Kind of ${inertText(file.name)}`} className="flex flex-col gap-2">
      <p className="text-sm">Choose the kind of this file; Millrace could not recognise it by its columns.</p>
      <div className="flex flex-wrap gap-2">
        {kinds.map((kind) => (
          <Button key={kind.name} small onClick={() => answerKind(key, kind)}>
            {kind.title}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function Stored({ entry: { answer } }: { entry: TrayFile }): ReactNode {
  if (!answer) return null;
  if (answer.status === 'skipped')
    return (
      <p className="text-xs text-ink-2">
        {sentence(answer.reason ?? 'already ingested')}.{' '}
        {answer.updated !== undefined && `Changed: ${answer.updated.join(', ')}. `}
        <Link to="/r/$runId" params={{ runId: answer.upload_id }} className="link">
          Open the run that has it
        </Link>
      </p>
    );
  return (
    <p className="text-xs text-ink-2">
      Stored.{' '}
      <Link to="/r/$runId" params={{ runId: answer.upload_id }} className="link">
        Open its run
      </Link>
      {answer.same_bytes_as && ' · exactly these bytes were uploaded before'}
    </p>
  );
}

/** The file is still here: what was refused for a passing reason is sent again without being looked for again. */
function Refused({ entry: { key, error } }: { entry: TrayFile }): ReactNode {
  const problem = problemOf(error);
  return (
    <div className="flex items-end justify-between gap-3">
      <p role="alert" className="text-xs">
        {problem.detail} <span className="text-ink-2">{problem.next}</span>
      </p>
      <Button small icon="replay" onClick={() => tryAgain(key)}>
        Send again
      </Button>
    </div>
  );
}

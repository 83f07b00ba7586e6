// Adding a source in three steps: where it is and whether it can be reached; what its files become; what exactly would be taken. Nothing is
// saved before the last.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { BrowsePlace, sameKey } from './browse-place.tsx';
import type { Preview } from './list-sources.ts';
import { KindChoice, PlaceFields } from './place-fields.tsx';
import { PreviewTable } from './preview-table.tsx';
import { PipelineFields, ScheduleFields, ScopeFields } from './scope-fields.tsx';
import { blankDraft, bodyOf, type SourceDraft } from './source-draft.ts';

const steps = ['Where it is', 'What Millrace does with it', 'Preview before you save'] as const;

export function AddSource(): ReactNode {
  const [draft, setDraft] = useState<SourceDraft>(blankDraft);
  const [found, setFound] = useState<Preview>();
  const [judged, setJudged] = useState<Preview>();
  const [at, setAt] = useState(0);
  const changePlace = (next: SourceDraft) => {
    // Another place is another connection to test; ticking its key is not.
    if (next.kind !== draft.kind || !samePlace(next, draft)) setFound(undefined);
    setJudged(undefined);
    setDraft(next);
  };
  const change = (next: SourceDraft) => {
    setJudged(undefined);
    setDraft(next);
  };
  const isReached = found !== undefined && sameKey(draft.place.host_key, found.host_key);
  return (
    <Panel title="Add a source" aside={<Steps at={at} />}>
      <div className="flex flex-col gap-4 px-4 py-4">
        {at === 0 && (
          <form onSubmit={(event) => event.preventDefault()} className="flex flex-col gap-4">
            <KindChoice draft={draft} onChange={changePlace} />
            <PlaceFields draft={draft} onChange={changePlace} />
            <BrowsePlace draft={draft} onChange={change} found={found} onFound={setFound} />
            <Foot back={<Leave />}>
              <Button look="main" disabled={!isReached} onClick={() => setAt(1)}>
                Continue
              </Button>
            </Foot>
          </form>
        )}
        {at === 1 && (
          <Becomes
            draft={draft}
            onChange={change}
            onBack={() => setAt(0)}
            onJudged={(preview) => {
              setJudged(preview);
              setAt(2);
            }}
          />
        )}
        {at === 2 && judged && <Save draft={draft} preview={judged} onBack={() => setAt(1)} />}
      </div>
    </Panel>
  );
}

function Becomes({
  draft,
  onChange,
  onBack,
  onJudged,
}: {
  draft: SourceDraft;
  onChange: (draft: SourceDraft) => void;
  onBack: () => void;
  onJudged: (preview: Preview) => void;
}): ReactNode {
  const look = useMutation({
    mutationFn: () => call('sources.preview', { body: bodyOf(draft) }),
    onSuccess: onJudged,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    look.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <PipelineFields draft={draft} onChange={onChange} />
      <ScopeFields draft={draft} onChange={onChange} />
      <ScheduleFields draft={draft} onChange={onChange} />
      {look.isError && <ProblemNote error={look.error} />}
      <Foot back={<Button onClick={onBack}>Back</Button>}>
        <Button type="submit" look="main" busy={look.isPending} disabled={draft.pipeline === ''}>
          Show the preview
        </Button>
      </Foot>
    </form>
  );
}

function Save({ draft, preview, onBack }: { draft: SourceDraft; preview: Preview; onBack: () => void }): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async (andSync: boolean) => {
      const source = await call('sources.create', { body: bodyOf(draft) });
      const params = { source_id: source.source_id };
      // The source is there; if it cannot be synced now, its page says so and offers it again.
      if (andSync) await call('sources.sync', { params }).catch(() => undefined);
      return source.source_id;
    },
    onSuccess: async (sourceId) => {
      await client.invalidateQueries({ queryKey: ['operate', 'sources'] });
      await navigate({ to: '/operate/sources/$sourceId', params: { sourceId } });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <PreviewTable preview={preview} isJudged />
      {save.isError && <ProblemNote error={save.error} />}
      <Foot back={<Button onClick={onBack}>Back</Button>}>
        <Button busy={save.isPending && !save.variables} onClick={() => save.mutate(false)}>
          Save
        </Button>
        <Button look="main" busy={save.isPending && save.variables} onClick={() => save.mutate(true)}>
          Save and sync now
        </Button>
      </Foot>
    </div>
  );
}

function Steps({ at }: { at: number }): ReactNode {
  return (
    <ol className="flex flex-wrap gap-x-3">
      {steps.map((words, index) => (
        <li
          key={words}
          aria-current={index === at ? 'step' : undefined}
          className={index === at ? 'font-medium text-ink' : 'max-sm:hidden'}
        >
          {index + 1}. {words}
        </li>
      ))}
    </ol>
  );
}

export function Foot({ back, children }: { back: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className="flex flex-wrap justify-between gap-2 border-t border-line pt-3">
      {back}
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  );
}

function Leave(): ReactNode {
  return (
    <Link to="/operate/sources" className="link self-center text-sm">
      Cancel
    </Link>
  );
}

function samePlace(a: SourceDraft, b: SourceDraft): boolean {
  const facts = ({ place: { host_key: _, ...place }, credential }: SourceDraft) => JSON.stringify([place, credential]);
  return facts(a) === facts(b);
}

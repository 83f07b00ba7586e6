// Changing a source: what is narrowed asks what becomes of what fell out, and a changed place is tried before it is saved.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError, call, hasCode } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Foot } from './add-source.tsx';
import { BrowsePlace } from './browse-place.tsx';
import { type Preview, type Source, type SourceBody, sourceQuery } from './list-sources.ts';
import { PlaceFields } from './place-fields.tsx';
import { PipelineFields, ScheduleFields, ScopeFields } from './scope-fields.tsx';
import { bodyOf, draftOf } from './source-draft.ts';
import { WhatBecomes, type WhatBecomesOf } from './what-becomes.tsx';

export function ChangeSource(): ReactNode {
  const { sourceId } = useParams({ from: '/shell/operate/sources/$sourceId/change' });
  const found = useQuery({ ...sourceQuery(sourceId), refetchInterval: false, refetchOnWindowFocus: false });
  if (found.isPending) return <LoadingLines lines={8} />;
  if (found.isError) return <ProblemNote error={found.error} onRetry={() => void found.refetch()} />;
  return <ChangeForm key={sourceId} source={found.data} />;
}

function ChangeForm({ source }: { source: Source }): ReactNode {
  const [draft, setDraft] = useState(() => draftOf(source));
  const [seen, setSeen] = useState<Preview>();
  const [what, setWhat] = useState<WhatBecomesOf>();
  const navigate = useNavigate();
  const client = useQueryClient();
  const params = { source_id: source.source_id };
  const back = () => navigate({ to: '/operate/sources/$sourceId', params: { sourceId: source.source_id } });
  const save = useMutation({
    mutationFn: () => {
      const body = changes(bodyOf(draftOf(source)), bodyOf(draft));
      return call('sources.update', {
        params,
        body: { ...body, ...(what === undefined ? {} : { out_of_scope: what }) },
      });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['operate', 'sources'] });
      await back();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const leaving = hasCode(save.error, 'source_scope_narrowed') ? leavingOf(save.error) : undefined;
  return (
    <Panel title={`Change ${inertText(source.name)}`}>
      <form onSubmit={submit} className="flex flex-col gap-4 px-4 py-4">
        <PlaceFields draft={draft} onChange={setDraft} isStored={source.credential !== 'none'} />
        <BrowsePlace draft={draft} onChange={setDraft} found={seen} onFound={setSeen} sourceId={source.source_id} />
        <PipelineFields draft={draft} onChange={setDraft} />
        <ScopeFields draft={draft} onChange={setDraft} />
        <ScheduleFields draft={draft} onChange={setDraft} />
        {leaving !== undefined && <WhatBecomes count={leaving} value={what} onChoose={setWhat} />}
        {save.isError && (leaving === undefined || what === undefined) && <ProblemNote error={save.error} />}
        <Foot back={<Button onClick={() => void back()}>Cancel</Button>}>
          <Button type="submit" look="main" busy={save.isPending}>
            Save
          </Button>
        </Foot>
      </form>
    </Panel>
  );
}

/** Only what is different: what nobody touched is not tried again. */
function changes(before: SourceBody, after: SourceBody): Partial<SourceBody> {
  const names = Object.keys(after) as (keyof SourceBody)[];
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  );
}

function leavingOf(error: unknown): number {
  const detail = error instanceof ApiError ? error.problem.detail : '';
  return Number(/\d+/.exec(detail)?.[0] ?? 0);
}

import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call, hasCode, type RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { RetryNote } from '../reading/retry-note.tsx';
import { runQuery } from '../run/show-run.ts';
import { MappingColumns } from './mapping-columns.tsx';
import { MappingConstants } from './mapping-constants.tsx';
import { assign, type Constants, draftOf, isChanged, keptConstants, missingFields } from './mapping-draft.ts';
import { type Mapping, mappingQuery, saveMapping } from './show-mapping.ts';

const route = getRouteApi('/shell/r/$runId/mapping');

/** Which column feeds which field, how sure that is, and why; changes are saved as a new version. */
export function MappingPage(): ReactNode {
  const { runId } = route.useParams();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const [saved, setSaved] = useState<number>();
  const mapping = useQuery({
    ...mappingQuery(run),
    refetchInterval: (query) => (hasCode(query.state.error, 'reading_not_ready') ? 1_500 : false),
  });
  if (hasCode(mapping.error, 'reading_not_ready'))
    return (
      <EmptyState icon="clock" title="The file has not been read yet">
        Its columns appear here as soon as the first stage has read it.
      </EmptyState>
    );
  if (hasCode(mapping.error, 'upload_not_found', 'batch_not_found'))
    return <EmptyState icon="file" title="This run has no file of its own" />;
  if (mapping.isPending) return <LoadingLines lines={8} label="Loading the mapping" />;
  if (mapping.isError) return <ProblemNote error={mapping.error} onRetry={() => void mapping.refetch()} />;
  if (mapping.data === null) return <EmptyState icon="file" title="This run has no columns to map" />;
  const { mapping_id: mappingId, version } = mapping.data;
  return (
    <div className="flex flex-col gap-4">
      {saved === version && <RetryNote run={run} what={`the mapping (now version ${version})`} />}
      <Editor key={`${mappingId}:${version}`} run={run} mapping={mapping.data} onSaved={setSaved} />
    </div>
  );
}

/** Starts again with every version. */
function Editor({
  run,
  mapping,
  onSaved,
}: {
  run: RunDetail;
  mapping: Mapping;
  onSaved: (version: number) => void;
}): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => draftOf(mapping));
  const [filled, setFilled] = useState<Constants>(mapping.constants);
  const constants = keptConstants(filled, draft);
  const [name, setName] = useState(mapping.name ?? '');
  const save = useMutation({
    mutationFn: () =>
      saveMapping(run, {
        columns: mapping.columns.map(({ index }) => ({ index, field: draft.get(index) ?? null })),
        constants,
        ...(name.trim() ? { name: name.trim() } : {}),
      }),
    onSuccess: (next) => {
      onSaved(next.version);
      client.setQueryData(mappingQuery(run).queryKey, next);
    },
  });
  const again = useMutation({
    mutationFn: async () => {
      if (isDifferent) await save.mutateAsync();
      return call('runs.retry', { params: { run_id: run.run_id } });
    },
    onSuccess: async (link) => {
      await client.invalidateQueries({ queryKey: ['run', run.run_id, 'detail'] });
      await navigate({ to: '/r/$runId', params: { runId: link.run_id } });
    },
  });
  const mayReadAgain = run.actions.includes('retry');
  const missing = missingFields(mapping, draft, constants);
  const isDifferent = isChanged(mapping, draft, constants) || name.trim() !== (mapping.name ?? '');
  const origin = { preset: 'built in', saved: 'saved by your team', proposed: 'proposed from the header' }[
    mapping.origin
  ];
  return (
    <div className="flex flex-col gap-4">
      {save.isError && <ProblemNote error={save.error} />}
      {again.isError && !save.isError && <ProblemNote error={again.error} />}
      <Panel
        title={mapping.name ?? 'Mapping'}
        aside={
          <span>
            version {mapping.version} · {origin} · header{' '}
            <span className="figures">{mapping.fingerprint.slice(0, 10)}</span>
          </span>
        }
      >
        <MappingColumns
          mapping={mapping}
          draft={draft}
          onAssign={(index, field) => setDraft(assign(draft, index, field))}
        />
        {runPartsOf(run.pipeline).reader?.hasConstants && (
          <MappingConstants mapping={mapping} draft={draft} constants={constants} onChange={setFilled} />
        )}
        <div className="sticky bottom-0 flex flex-wrap items-center gap-3 border-t border-line-strong bg-surface px-4 py-2.5">
          {missing.length > 0 ? (
            <p className="text-sm text-bad">✕ No column feeds: {missing.join(', ')}</p>
          ) : (
            <p className="text-sm text-good">✓ Every required field has a column</p>
          )}
          <label className="ml-auto flex items-center gap-2 text-xs text-ink-2">
            Name
            <input
              value={name}
              onChange={(event) => setName(event.target.value)}
              placeholder="for example: Meta, weekly"
              maxLength={200}
              className="control w-52"
            />
          </label>
          <Button
            look={mayReadAgain ? 'plain' : 'main'}
            icon="check"
            busy={save.isPending && !again.isPending}
            disabled={!isDifferent || again.isPending}
            onClick={() => save.mutate()}
          >
            Save as version {mapping.version + 1}
          </Button>
          {mayReadAgain && (
            <Button
              look="main"
              icon="replay"
              busy={again.isPending}
              disabled={missing.length > 0}
              onClick={() => again.mutate()}
            >
              {isDifferent ? 'Save and read again' : 'Read again'}
            </Button>
          )}
        </div>
      </Panel>
    </div>
  );
}

// Sends the corrected rows through the pipeline again and follows them until they are stored.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { StatePill } from '../../ui/state-pill.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { runQuery } from '../run/show-run.ts';
import { refreshRejects } from './list-rejects.ts';
import type { RejectSearch } from './reject-search.ts';

export function ReplayBar({
  runId,
  corrected,
  search,
}: {
  runId: string;
  corrected: number;
  search: RejectSearch;
}): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () => call('rejects.replay', { params: { run_id: runId } }),
    onSuccess: async (answer) => {
      await navigate({
        to: '/r/$runId/rejects',
        params: { runId },
        search: { ...search, replay: answer.run_id },
        replace: true,
      });
      await refreshRejects(client, runId);
    },
  });
  return (
    <div className="flex flex-col gap-2">
      {replay.isError && <ProblemNote error={replay.error} />}
      {search.replay && <ReplayWatch runId={runId} replayId={search.replay} />}
      {corrected > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-md border border-water bg-water-soft px-4 py-2.5">
          <p>
            <strong>{plural(corrected, 'corrected row')}</strong> {corrected === 1 ? 'is' : 'are'} ready to replay.
          </p>
          <Button look="main" icon="replay" busy={replay.isPending} onClick={() => replay.mutate()}>
            Replay {plural(corrected, 'row')}
          </Button>
        </div>
      )}
    </div>
  );
}

function ReplayWatch({ runId, replayId }: { runId: string; replayId: string }): ReactNode {
  const client = useQueryClient();
  const replay = useQuery(runQuery(replayId));
  const phase = replay.data?.phase;
  // The replay's end settles rows of this run, so they are read again: watching them turn green is the point.
  useEffect(() => {
    if (phase === 'done' || phase === 'failed') void refreshRejects(client, runId);
  }, [client, runId, phase]);
  if (!replay.data) return null;
  const outcomes = Object.entries(replay.data.receipt?.outcomes ?? {}).filter(([, value]) => value > 0);
  const good = phase === 'done';
  return (
    <p
      role="status"
      className={`flex flex-wrap items-center gap-2 rounded-md border px-4 py-2.5 ${good ? 'border-good bg-good-soft' : phase === 'failed' ? 'border-bad bg-bad-soft' : 'border-line-strong bg-surface'}`}
    >
      <StatePill status={replay.data.status} phase={replay.data.phase} />
      <span>
        {good && 'Replayed: '}
        {phase === 'failed' && (replay.data.error?.message ?? 'The replay failed.')}
        {phase !== 'failed' && !good && 'The replay is running…'}
        {good && outcomes.map(([outcome, value]) => `${count(value)} ${outcome}`).join(', ')}
      </span>
      <Link to="/r/$runId" params={{ runId: replayId }} className="link ml-auto text-xs">
        Open the replay
      </Link>
    </p>
  );
}

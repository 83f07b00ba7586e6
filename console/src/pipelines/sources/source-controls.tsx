import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { useIs } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import type { Source } from './list-sources.ts';
import { RemoveSource } from './remove-source.tsx';

/** What an admin can do with a source: sync it now, pause it, change it, remove it. */
export function SourceControls({ source, onRemoved }: { source: Source; onRemoved?: () => void }): ReactNode {
  const isAdmin = useIs('admin');
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: ['operate', 'sources'] });
  const params = { source_id: source.source_id };
  const sync = useMutation({ mutationFn: () => call('sources.sync', { params }), onSettled });
  const pause = useMutation({
    mutationFn: () => call('sources.update', { params, body: { paused: !source.paused } }),
    onSettled,
  });
  const [removing, setRemoving] = useState(false);
  if (!isAdmin) return null;
  const isBusy = source.syncs.some((each) => each.finished_at === null);
  const fault = sync.error ?? pause.error;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {!source.paused && (
          <Button small icon="replay" busy={sync.isPending} disabled={isBusy} onClick={() => sync.mutate()}>
            Sync now
          </Button>
        )}
        <Button small icon={source.paused ? 'play' : 'pause'} busy={pause.isPending} onClick={() => pause.mutate()}>
          {source.paused ? 'Resume' : 'Pause'}
        </Button>
        <Link
          to="/operate/sources/$sourceId/change"
          params={{ sourceId: source.source_id }}
          className={buttonClass('plain', true)}
        >
          Change…
        </Link>
        <Button small look="danger" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      </div>
      {fault && <ProblemNote error={fault} />}
      {removing && (
        <RemoveSource source={source} onClose={() => setRemoving(false)} {...(onRemoved ? { onRemoved } : {})} />
      )}
    </div>
  );
}

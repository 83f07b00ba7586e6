// Handles dropped or chosen files, on whatever page they were dropped.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import type { Kind } from './kind.ts';
import { kindsOf } from './kinds.ts';
import { takeFiles } from './tray-store.ts';

/** A single file opens its run, if the person is still where it was dropped; several stay in the tray, each with its link. */
export function useDrop(): (files: readonly File[], kind?: Kind) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(
    (files, kind) => {
      const place = location.pathname;
      takeFiles(files, {
        kind,
        kinds: async () => kindsOf((await client.ensureQueryData(pipelinesQuery)).data),
        onRun: ({ upload_id: runId }) => {
          if (files.length === 1 && place === '/' && location.pathname === place)
            void navigate({ to: '/r/$runId', params: { runId } });
        },
      });
    },
    [client, navigate],
  );
}

// A suggested fix for a whole cluster: first what it would do, with examples, then doing it.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import type { Cluster } from './list-clusters.ts';
import { refreshRejects } from './list-rejects.ts';

export type Fix = NonNullable<Cluster['fix']>;

interface Props {
  readonly runId: string;
  readonly cluster: Cluster;
  readonly fix: Fix;
  readonly onClose: () => void;
}

export function FixDialog({ runId, cluster, fix, onClose }: Props): ReactNode {
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: ['run', runId, 'fix-preview', cluster.cluster, fix],
    queryFn: ({ signal }) => correct(runId, cluster.cluster, fix, true, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const apply = useMutation({
    mutationFn: () => correct(runId, cluster.cluster, fix, false),
    onSuccess: async () => {
      await refreshRejects(client, runId);
      onClose();
    },
  });
  return (
    <Modal title={fix.label} onClose={onClose}>
      {preview.isPending && <LoadingLines lines={5} label="Trying the fix on every row" />}
      {preview.isError && <ProblemNote error={preview.error} onRetry={() => void preview.refetch()} />}
      {preview.data && (
        <div className="flex flex-col gap-4">
          <p>
            Of {plural(preview.data.matched, 'open row')},{' '}
            <strong className="text-good">{count(preview.data.valid)} become valid</strong>
            {preview.data.still_faulty > 0 && <> and {count(preview.data.still_faulty)} stay open</>}. The file itself
            is not altered; this is a correction you can take back.
          </p>
          <Table label="Examples" head={['Row', `${inertText(fix.column)} as read`, '', 'corrected']}>
            {preview.data.sample.map((example) => (
              <Row key={`${example.line}:${example.before}`}>
                <Cell className="figures text-ink-3">{example.line === null ? '–' : count(example.line)}</Cell>
                <Cell className="figures wrap-anywhere text-bad line-through">
                  {inertText(example.before ?? '(empty)')}
                </Cell>
                <Cell className="text-ink-3">→</Cell>
                <Cell className="figures wrap-anywhere text-good">{inertText(example.after ?? '(empty)')}</Cell>
              </Row>
            ))}
          </Table>
          {apply.isError && <ProblemNote error={apply.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="main"
              icon="check"
              autoFocus
              busy={apply.isPending}
              disabled={preview.data.matched === 0}
              onClick={() => apply.mutate()}
            >
              Correct {plural(preview.data.matched, 'row')}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

function correct(runId: string, cluster: string, fix: Fix, preview: boolean, signal?: AbortSignal) {
  const { kind, column, params } = fix;
  return call('rejects.correct-cluster', {
    params: { run_id: runId },
    body: { cluster, fix: { kind, column, params }, preview },
    ...(signal ? { signal } : {}),
  });
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { plural } from '../../ui/figures.ts';
import { Modal } from '../../ui/modal.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';

const hourMs = 3_600_000;
const spans: readonly (readonly [string, string])[] = [
  ['1', 'the last hour'],
  ['24', 'the last day'],
  ['168', 'the last week'],
  ['720', 'the last 30 days'],
];

/** Sends again what failed for good, after saying how many that are. */
export function RecoverDialog({ endpointId, onClose }: { endpointId: string; onClose: () => void }): ReactNode {
  const queries = useQueryClient();
  const [hours, setHours] = useState('24');
  const since = useMemo(() => new Date(Date.now() - Number(hours) * hourMs).toISOString(), [hours]);
  const params = { endpoint_id: endpointId };
  const preview = useQuery({
    queryKey: ['operate', 'webhooks', endpointId, 'recover', since],
    queryFn: ({ signal }) => call('webhooks.recover', { params, body: { since, preview: true }, signal }),
  });
  const recover = useMutation({
    mutationFn: () => call('webhooks.recover', { params, body: { since, preview: false } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['operate', 'webhooks'] });
      onClose();
    },
  });
  const count = preview.data?.count ?? 0;
  return (
    <Modal title="Recover what failed" onClose={onClose}>
      <div className="flex flex-col gap-3">
        <Choice label="Events of" value={hours} options={spans} onChoose={setHours} />
        {preview.isPending && <LoadingLines lines={1} />}
        {preview.isError && <ProblemNote error={preview.error} />}
        {preview.data && (
          <p>
            {count === 0
              ? 'No delivery of this time has failed.'
              : `${plural(count, 'delivery', 'deliveries')} will be sent again, each with the id it had.`}
          </p>
        )}
        {recover.isError && <ProblemNote error={recover.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" busy={recover.isPending} disabled={count === 0} onClick={() => recover.mutate()}>
            {count === 0 ? 'Nothing to send' : `Send ${plural(count, 'delivery', 'deliveries')} again`}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

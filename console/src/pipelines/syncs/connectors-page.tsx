import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { AddConnector } from './add-connector.tsx';
import { ConnectorCard } from './connector-card.tsx';
import { connectorsQuery } from './list-connectors.ts';

/** The connections that are synced on schedule, with how fresh each is. */
export function ConnectorsPage(): ReactNode {
  const connectors = useQuery(connectorsQuery);
  const isAdmin = useIs('admin');
  const [adding, setAdding] = useState(false);
  if (connectors.isPending) return <LoadingLines lines={6} />;
  if (connectors.isError) return <ProblemNote error={connectors.error} onRetry={() => void connectors.refetch()} />;
  return (
    <Panel
      title="Connectors"
      aside={
        isAdmin && (
          <Button small icon="plus" onClick={() => setAdding(true)}>
            Add a connector
          </Button>
        )
      }
    >
      {connectors.data.data.length === 0 ? (
        <EmptyState title="Nothing is connected yet">
          A connector syncs an Airbyte connection on a schedule and shows how fresh its data is.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line">
          {connectors.data.data.map((connector) => (
            <ConnectorCard key={connector.connector_id} connector={connector} />
          ))}
        </ul>
      )}
      {adding && <AddConnector onClose={() => setAdding(false)} />}
    </Panel>
  );
}

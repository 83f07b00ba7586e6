import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../../app/api.ts';
import { Button } from '../../../ui/button.tsx';
import { plural } from '../../../ui/figures.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { inertText } from '../../../ui/inert-text.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Panel } from '../../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../../ui/states.tsx';
import { askedKey, type Conversation, conversationsQuery } from './asking.ts';

/** The reader's own threads; nobody else sees them. */
export function Conversations({ current }: { current: string | undefined }): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const conversations = useQuery(conversationsQuery);
  const begin = useMutation({
    mutationFn: () => call('conversations.create', { body: {} }),
    onSuccess: async ({ conversation_id: conversation }) => {
      await queries.invalidateQueries({ queryKey: askedKey });
      await navigate({ to: '/ask', search: { conversation } });
    },
  });
  const [erasing, setErasing] = useState<Conversation>();
  return (
    <Panel
      title="Your conversations"
      aside={
        <Button small icon="plus" busy={begin.isPending} onClick={() => begin.mutate()}>
          New
        </Button>
      }
    >
      {conversations.isPending && <LoadingLines lines={3} />}
      {conversations.isError && (
        <ProblemNote error={conversations.error} onRetry={() => void conversations.refetch()} />
      )}
      {begin.isError && <ProblemNote error={begin.error} />}
      {conversations.data?.data.length === 0 && (
        <p className="px-4 py-3 text-sm text-ink-2">In a conversation a question can refer to earlier ones.</p>
      )}
      <ul className="divide-y divide-line text-sm">
        {conversations.data?.data.map((each) => (
          <li key={each.conversation_id} className="flex items-center justify-between gap-2 px-4 py-2">
            <span className="min-w-0">
              <Link
                to="/ask"
                search={{ conversation: each.conversation_id }}
                aria-current={each.conversation_id === current ? 'true' : undefined}
                className="link block truncate aria-[current]:font-semibold"
              >
                {inertText(each.title)}
              </Link>
              <span className="text-xs text-ink-2">
                {plural(each.turns, 'question')} · <Moment at={each.updated_at} />
              </span>
            </span>
            {each.conversation_id === current && (
              <Button
                small
                look="quiet"
                aria-label={`Erase the conversation ${each.title}`}
                onClick={() => setErasing(each)}
              >
                Erase
              </Button>
            )}
          </li>
        ))}
      </ul>
      {erasing !== undefined && (
        <FormDialog
          title="Erase this conversation"
          submit="Erase"
          danger
          refresh={askedKey}
          onClose={() => setErasing(undefined)}
          send={async () => {
            await call('conversations.remove', { params: { conversation_id: erasing.conversation_id } });
            await navigate({ to: '/ask', search: {} });
          }}
        >
          <p className="wrap-anywhere">
            “{inertText(erasing.title)}” with {plural(erasing.turns, 'question')} and what was answered is erased for
            good. The documents stay as they are.
          </p>
        </FormDialog>
      )}
    </Panel>
  );
}

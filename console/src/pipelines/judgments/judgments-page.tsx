import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { readJudgmentSearch } from './judgment-search.ts';
import { JudgmentsTable } from './judgments-table.tsx';

const route = getRouteApi('/shell/data/judgments');

export function JudgmentsPage(): ReactNode {
  const search = route.useSearch();
  const filtered = Object.keys(search).length > 0;
  return (
    <Panel
      title={search.plaintiff_id ? `Judgments of plaintiff ${search.plaintiff_id}` : 'Judgments'}
      aside={
        <span className="flex items-center gap-3">
          {filtered && (
            <Link to="/data/judgments" search={{}} className="link">
              show all
            </Link>
          )}
          <FindCase />
        </span>
      }
    >
      <JudgmentsTable filter={search} empty={filtered ? 'No judgment matches' : 'No judgments stored yet'} />
    </Panel>
  );
}

function FindCase(): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/data/judgments', search: readJudgmentSearch({ case_number: typed }) });
  };
  return (
    <form onSubmit={submit} className="flex gap-2">
      <input
        type="search"
        aria-label="Case number"
        placeholder="case number"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="control min-h-7! w-44 text-xs!"
      />
      <Button type="submit" small icon="search" aria-label="Find the case" />
    </form>
  );
}

import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useIs } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { BeingRead, NotRead } from './being-read.tsx';
import { type DocumentSearch, readDocumentSearch, type Standing } from './document-search.ts';
import { DocumentsTable } from './documents-table.tsx';
import { OrphansTable } from './orphans-table.tsx';
import { UploadDocuments } from './upload-documents.tsx';

const route = getRouteApi('/shell/data/documents');

const standings: readonly (readonly [Standing, string])[] = [
  ['active', 'Served'],
  ['inactive', 'Inactive'],
  ['all', 'All'],
];

export function DocumentsPage(): ReactNode {
  const search = route.useSearch();
  return (
    <div className="flex flex-col gap-4">
      <BeingRead />
      <NotRead />
      <Panel title="Documents" aside={<UploadDocuments />}>
        <Filters search={search} />
        {search.status === 'unread' ? <OrphansTable /> : <DocumentsTable search={search} />}
      </Panel>
    </div>
  );
}

function Filters({ search }: { search: DocumentSearch }): ReactNode {
  const isAdmin = useIs('admin');
  const shown = isAdmin ? [...standings, ['unread', 'Without a version'] as const] : standings;
  const current = search.status ?? 'active';
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <FindTitle key={search.search ?? ''} search={search} />
      {shown.map(([status, label]) => (
        <Link
          key={status}
          to="/data/documents"
          search={readDocumentSearch({ ...search, status, page: 1 })}
          aria-current={status === current ? 'true' : undefined}
          className="chip"
        >
          {label}
        </Link>
      ))}
      {search.tag !== undefined && (
        <Link
          to="/data/documents"
          search={readDocumentSearch({ ...search, tag: '', page: 1 })}
          aria-current="true"
          className="chip"
          title="Show documents whatever their tags"
        >
          tag {search.tag} ✕
        </Link>
      )}
    </div>
  );
}

function FindTitle({ search }: { search: DocumentSearch }): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState(search.search ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/data/documents', search: readDocumentSearch({ ...search, search: typed, page: 1 }) });
  };
  return (
    <form onSubmit={submit} className="flex gap-2">
      <input
        type="search"
        aria-label="Part of the title"
        placeholder="part of the title"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="control w-52"
      />
      <Button type="submit" icon="search" aria-label="Find documents" />
    </form>
  );
}

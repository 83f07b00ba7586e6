// Catalogues: upload one, see what there is.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ApiError } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { Cell, Row, right, Table } from '../../ui/table.tsx';
import { catalogsQuery } from './list-items.ts';

export function CatalogsPage(): ReactNode {
  const client = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const catalogs = useQuery(catalogsQuery);
  const upload = useMutation({
    mutationFn: uploadCatalog,
    onSuccess: () => void client.invalidateQueries({ queryKey: catalogsQuery.queryKey }),
  });
  return (
    <Panel
      title="Catalogues"
      aside={
        <>
          <input
            ref={chooser}
            type="file"
            aria-label="File of the catalogue"
            className="hidden"
            accept=".csv,.tsv,.txt,.json,.ndjson,.xlsx"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) upload.mutate(file);
              target.value = '';
            }}
          />
          <Button small look="main" busy={upload.isPending} onClick={() => chooser.current?.click()}>
            Upload a catalogue
          </Button>
        </>
      }
    >
      {upload.isError && <ProblemNote error={upload.error} />}
      {catalogs.isError ? (
        <ProblemNote error={catalogs.error} onRetry={() => void catalogs.refetch()} />
      ) : catalogs.isPending ? (
        <LoadingLines lines={4} />
      ) : catalogs.data.data.length === 0 ? (
        <EmptyState icon="table" title="No catalogue yet">
          <p>Upload a price list or catalogue with SKUs, GTINs or titles; rows of items are matched with it.</p>
        </EmptyState>
      ) : (
        <Table
          label="Catalogues"
          head={['Name', right('Version'), right('Rows'), right('Left out'), 'File', 'Uploaded']}
        >
          {catalogs.data.data.map((each) => (
            <Row key={each.catalog_id}>
              <Cell>{inertText(each.name)}</Cell>
              <Cell className="figures text-right">{each.version}</Cell>
              <Cell className="figures text-right">{count(each.rows)}</Cell>
              <Cell className="figures text-right">{count(each.skipped_rows)}</Cell>
              <Cell className="max-w-64 truncate">{inertText(each.file_name)}</Cell>
              <Cell>
                <Moment at={each.created_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Panel>
  );
}

/** A form with a file: the typed client speaks JSON only. */
async function uploadCatalog(file: File): Promise<void> {
  const form = new FormData();
  form.set('file', file, file.name);
  const answer = await fetch('/api/catalogs', { method: 'POST', body: form });
  if (!answer.ok) throw new ApiError(await answer.json());
}

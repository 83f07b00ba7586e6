import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { hasCode } from '../../app/api.ts';
import { plural } from '../../ui/figures.ts';
import { Panel } from '../../ui/page.tsx';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { runQuery } from '../run/show-run.ts';
import { FileLines } from './file-lines.tsx';
import { useOverrideReading } from './override-reading.ts';
import { ReadingFacts } from './reading-facts.tsx';
import { ReadingNote } from './reading-note.tsx';
import { readingQuery } from './show-reading.ts';

const route = getRouteApi('/shell/r/$runId/reading');

/** How the file was read, line by line, and how to read it otherwise. */
export function ReadingPage(): ReactNode {
  const { runId } = route.useParams();
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const reading = useQuery({
    ...readingQuery(run),
    refetchInterval: (query) => (hasCode(query.state.error, 'reading_not_ready') ? 1_500 : false),
  });
  const override = useOverrideReading(run);
  if (hasCode(reading.error, 'reading_not_ready'))
    return (
      <EmptyState icon="clock" title="The file has not been read yet">
        This page fills as soon as the first stage has read the file.
      </EmptyState>
    );
  if (hasCode(reading.error, 'upload_not_found', 'batch_not_found'))
    return <EmptyState icon="file" title="This run has no file of its own" />;
  if (reading.isPending) return <LoadingLines lines={8} label="Loading the reading" />;
  if (reading.isError) return <ProblemNote error={reading.error} onRetry={() => void reading.refetch()} />;
  if (reading.data === null) return <EmptyState icon="file" title="This run has no file of its own" />;
  const overridden = Object.values(reading.data).some(
    (value) => typeof value === 'object' && value !== null && 'overridden' in value && value.overridden === true,
  );
  const putBack = reading.data.furniture.some((each) => each.put_back);
  return (
    <div className="flex flex-col gap-4">
      {override.isError && <ProblemNote error={override.error} />}
      {(overridden || putBack) && <ReadingNote run={run} />}
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-[24rem_minmax(0,1fr)]">
        <Panel title="Detected" aside="change what is wrong">
          <ReadingFacts
            reading={reading.data}
            busy={override.isPending}
            onOverride={(overrides) => override.mutate(overrides)}
          />
        </Panel>
        <Panel
          title="Lines"
          aside={`${plural(reading.data.furniture.filter((each) => !each.put_back).length, 'line')} set aside, first ${plural(reading.data.sample.length, 'row')} below`}
        >
          <FileLines
            reading={reading.data}
            busy={override.isPending}
            onPutBack={(put_back) => override.mutate({ put_back })}
          />
        </Panel>
      </div>
    </div>
  );
}

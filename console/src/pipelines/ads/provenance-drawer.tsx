// The provenance of one number: value ← line of a file ← mapping ← run ← person, and what it was before.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { Moment } from '../../ui/moment.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { measureTitle, measureValue } from './measure-names.ts';
import { provenanceQuery } from './show-provenance.ts';

type Provenance = AnswerOf<'ads.provenance'>;

export function ProvenanceDrawer({
  storedId,
  column: measure,
  onClose,
}: {
  storedId: string;
  column: string;
  onClose: () => void;
}): ReactNode {
  const provenance = useQuery(provenanceQuery(storedId, measure));
  return (
    <Modal side title={`Provenance of ${measureTitle(measure).toLowerCase()}`} onClose={onClose}>
      {provenance.isPending && <LoadingLines lines={8} />}
      {provenance.isError && <ProblemNote error={provenance.error} onRetry={() => void provenance.refetch()} />}
      {provenance.data && <Stations provenance={provenance.data} />}
    </Modal>
  );
}

function Stations({ provenance }: { provenance: Provenance }): ReactNode {
  const { metric, origin } = provenance;
  const name = metric.ad_name ?? metric.ad_set_name ?? metric.campaign_name ?? metric.campaign_external_id;
  return (
    <div className="flex flex-col gap-5">
      <div>
        <p className="figures text-2xl font-semibold">
          {provenance.value === null ? '–' : measureValue(provenance.measure, provenance.value)}{' '}
          <span className="text-sm font-normal text-ink-2">{metric.currency}</span>
        </p>
        <p className="text-ink-2 wrap-anywhere">
          {measureTitle(provenance.measure)} of {inertText(name ?? 'an unnamed campaign')} on {metric.metric_date}
        </p>
      </div>
      {origin ? (
        <ol className="flex flex-col border-l-2 border-water">
          <Station title="the line it was read from">
            {origin.line === null ? 'line unknown' : `line ${count(origin.line)}`}
            {origin.byte_offset !== null && `, byte ${count(origin.byte_offset)}`}
            {origin.column && `, column “${origin.column}”`}
          </Station>
          <Station title="the file">
            <span className="wrap-anywhere">{inertText(origin.filename ?? 'unnamed')}</span>
            {origin.sha256 && (
              <CopyButton text={origin.sha256} what="SHA-256" show={`sha256 ${origin.sha256.slice(0, 10)}`} />
            )}
          </Station>
          <Station title="how it was understood">
            {origin.mapping ? (
              <Link to="/r/$runId/mapping" params={{ runId: origin.run_id }} className="link">
                mapping {origin.mapping.name ?? ''} v{origin.mapping.version}
              </Link>
            ) : (
              'built-in mapping'
            )}
          </Station>
          <Station title="the run">
            <Link to="/r/$runId" params={{ runId: origin.run_id }} className="link figures">
              …{origin.run_id.slice(-8)}
            </Link>
          </Station>
          <Station title="the person">
            {origin.uploaded_by ?? 'unknown'}, <Moment at={origin.uploaded_at} />
          </Station>
        </ol>
      ) : (
        <p className="text-ink-2">Millrace no longer has its origin.</p>
      )}
      <History history={provenance.history} measure={provenance.measure} />
    </div>
  );
}

function Station({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <li className="relative py-1.5 pl-5 before:absolute before:top-3.5 before:-left-[5px] before:size-2 before:rounded-full before:bg-water">
      <p className="label">{title}</p>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </li>
  );
}

function History({ history, measure }: { history: Provenance['history']; measure: string }): ReactNode {
  if (history.length === 0) return <p className="text-sm text-ink-2">It has had no earlier value.</p>;
  return (
    <section aria-label="Earlier values">
      <h3 className="mb-1 text-sm">Earlier values</h3>
      <ul className="divide-y divide-line text-sm">
        {history.map((entry) => (
          <li key={`${entry.recorded_at}:${entry.value}`} className="flex items-baseline gap-3 py-1">
            <span className="figures">{entry.value === null ? '–' : measureValue(measure, entry.value)}</span>
            <span className="text-xs text-ink-2">
              recorded <Moment at={entry.recorded_at} />
            </span>
            {entry.run_id && (
              <Link to="/r/$runId" params={{ runId: entry.run_id }} className="link figures ml-auto text-xs">
                …{entry.run_id.slice(-8)}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

// What one tenant does in the judgments suite: two batches at once, each delivered by two senders at the same moment; the same id with other
// content, which must be refused; then revisions of the first batch, each delivered twice as well.
import { waitFor } from '../support/wait-for.ts';
import type { Find } from './findings.ts';
import type { Ground } from './ground.ts';
import type { AcceptedRun, JudgedTenant } from './judgments-audit.ts';
import { type ExpectedBatch, ReferenceTenant } from './judgments-reference.ts';
import type { Senders } from './judgments-senders.ts';
import type { Random } from './random.ts';

export interface Series {
  readonly ground: Ground;
  readonly senders: Senders;
  readonly find: Find;
  /** How often each thing was done. */
  readonly done: { twice: number; refused: number; revisions: number };
}

export interface SeriesDose {
  readonly random: Random;
  /** Cases of the first batch and of the second. */
  readonly rows: readonly [number, number];
}

const END_MS = 240_000;

export async function sendSeries({ ground, senders, find, done }: Series, dose: SeriesDose): Promise<JudgedTenant> {
  const { tenantId, token } = await senders.tenant();
  const reference = new ReferenceTenant(dose.random);
  const runs: AcceptedRun[] = [];
  const [first, second] = [reference.batch('A', dose.rows[0]), reference.batch('B', dose.rows[1])];
  const [runId] = await Promise.all([deliverTwice('first', first), deliverTwice('second', second)]);
  await refuseOther();
  let newest = runId;
  for (let revision = 0; revision < dose.random.between(1, 2); revision++) {
    await ended(newest);
    newest = await deliverTwice('first', reference.batch('A', dose.rows[0] + 50), true);
    done.revisions++;
  }
  for (const run of runs) await ended(run.runId);
  return { tenantId, runs, cases: reference.cases, people: reference.people };

  /** One of the two is accepted; the other is told whose run has the bytes. */
  async function deliverTwice(batchId: string, expected: ExpectedBatch, supersede = false): Promise<string> {
    const delivery = { batchId, text: expected.text, supersede };
    const answers = await Promise.all([senders.deliver(0, token, delivery), senders.deliver(1, token, delivery)]);
    const accepted = answers.filter(({ status, outcome }) => status === 202 && outcome === 'accepted');
    const said = JSON.stringify(answers);
    find(
      accepted.length === 0 ? 'lost' : 'duplicated',
      Math.abs(accepted.length - 1),
      `delivered twice at once: ${said}`,
    );
    find('wrong', new Set(answers.map(({ run_id: id }) => id)).size - 1, `two deliveries, two runs: ${said}`);
    done.twice++;
    const id = accepted[0]?.run_id ?? '';
    if (id !== '') runs.push({ runId: id, expected });
    return id;
  }

  async function refuseOther(): Promise<void> {
    const answer = await senders.deliver(0, token, { batchId: 'second', text: first.text });
    find(
      'wrong',
      answer.code === 'batch_content_changed' ? 0 : 1,
      `other content was answered ${JSON.stringify(answer)}`,
    );
    done.refused++;
  }

  async function ended(id: string): Promise<void> {
    await waitFor(
      async () => {
        const [run] = await ground.ask<{ is_over: boolean }>(
          `select finished_at is not null as is_over from engine.runs where tenant_id = $1 and id = $2`,
          [tenantId, id],
        );
        return run?.is_over;
      },
      { what: `batch ${id} to end`, timeoutMs: END_MS, everyMs: 50 },
    ).catch((error: unknown) => find('stuck', 1, String(error)));
  }
}

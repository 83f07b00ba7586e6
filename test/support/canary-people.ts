// People who exist only to be looked for. Every test file on judgments sends them in, and fails when anything of them stands where only
// codes, counts and ids may stand (heard.ts says who listens): log lines, events and alerts, metrics, errors.
import type { Pool } from 'pg';
import { noteFed } from './heard.ts';

const canaries: readonly string[] = [
  'Canary Plaintiffsson',
  'Canary Defendantsson',
  'canary@secret.test',
  '555-867-5309',
  '5558675309',
  '077-88-9966',
  '77 Canary Way',
];

const [plaintiff, defendant, email, phone, , ssn, address] = canaries;
const row = (number: string, amount: string, date: string, name = plaintiff) =>
  `${number},${name},${defendant},${amount},${date},Kings,${email},${phone},"${address} ${ssn}"`;

/** Rows that are stored, repeated, and refused for every kind of reason, each with people in it. */
export const canaryRows: readonly string[] = [
  row('CANARY-1', '10', '2024-01-01'),
  row('CANARY-1', '11', '2024-01-01'),
  row('', '10', '2024-01-01'),
  row('CANARY-3', '-10', '2024-01-01'),
  row('CANARY-4', `${plaintiff} ${ssn}`, '2024-01-01'),
  row('CANARY-5', '10', `${email}`),
  row('CANARY-6', '10', '2199-01-01'),
  row('CANARY-7', '10', '2024-01-01', `${plaintiff} `.repeat(100)),
];

/** For tests without a database. */
export function canaryPerson(): { name: string; email: string; phone: string } {
  noteFed();
  return { name: `${plaintiff}`, email: `${email}`, phone: `${phone}` };
}

/** For tests that ask tables without a pipeline: a plaintiff with a case. */
export async function plantCanaries(admin: Pick<Pool, 'query'>, tenantId: string): Promise<void> {
  noteFed();
  await admin.query(
    `with person as (
       insert into plaintiffs (tenant_id, dedupe_key, name, email, phone, address, run_id)
       values ($1, 'email:' || $3::text, $2, $3, $4, $5, gen_random_uuid()) returning id)
     insert into judgments (tenant_id, case_number, plaintiff_name, defendant_name, plaintiff_id, run_id, line, byte_offset)
     select $1, 'CANARY-1', $2, $6, id, gen_random_uuid(), 2, 0 from person`,
    [tenantId, plaintiff, email, phone, address, defendant],
  );
}

/** The texts of `said` that hold a canary, as it is, in base64 or URL-encoded. */
export function findCanaries(said: string): string[] {
  const plain = said.toLowerCase();
  return canaries.filter((canary) => {
    const forms = [canary, encodeURIComponent(canary), canary.replaceAll(' ', '+')];
    return forms.some((form) => plain.includes(form.toLowerCase())) || said.includes(inBase64(canary));
  });
}

/** The middle of its base64 form, which is the same wherever in a longer text it begins at a multiple of three. */
function inBase64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1);
}

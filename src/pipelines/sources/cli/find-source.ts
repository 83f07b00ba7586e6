// Which source a person means: its id, or its name as "millrace sources list" shows it.
import type { AnswerOf, Client } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';

export type Source = AnswerOf<'sources.show'>;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const PAGE = 100;

/** Names are unique within a tenant; one that is spelled with other capitals is meant if no other is. */
export async function idOfSource(call: Client, given: string): Promise<string> {
  if (uuid.test(given)) return given;
  const similar: string[] = [];
  for (let after: string | undefined; ; ) {
    const query = { limit: String(PAGE), ...(after === undefined ? {} : { after }) };
    const page: AnswerOf<'sources.list'> = await call('sources.list', { query });
    for (const { name, source_id: id } of page.data) {
      if (name === given) return id;
      if (name.toLowerCase() === given.toLowerCase()) similar.push(id);
    }
    if (page.next === null) break;
    after = page.next;
  }
  const [only, ...others] = similar;
  if (only === undefined || others.length > 0) throw new MillraceError('source_not_found', { source: given });
  return only;
}

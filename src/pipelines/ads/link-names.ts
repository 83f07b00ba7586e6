// Names first and ids later, or the other way round, are the same campaign, ad set or ad. Linked before anything of the upload is written, from
// the top down, because a name means something only under its parent. A name that could be several things stops the upload: stored as one more
// thing it would be counted twice.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StageContext } from '../../engine/stage-context.ts';
import type { AdsInput } from './input.ts';
import {
  type Link,
  matchStagedNames,
  matchStoredNames,
  type NamedMatch,
  rekeyStored,
  relabelStaged,
  rememberLinks,
} from './sql/link-names.ts';
import { dimensions, type PromotionScope } from './sql/promote-dimensions.ts';

const MAX_NAMES_TOLD = 5;

/** The days whose stored numbers got another id. `keepsApart`: somebody said that names which several things have mean another one. */
export async function linkNames(
  context: StageContext<AdsInput>,
  scope: PromotionScope,
  keepsApart: boolean,
): Promise<string[]> {
  const days: string[] = [];
  for (const dimension of dimensions) {
    const touched = await context.commit(async (tx) => {
      const staged = await matchStagedNames(tx, dimension, scope);
      const stored = await matchStoredNames(tx, dimension, scope);
      if (!keepsApart) refuseAmbiguous([...staged, ...stored]);
      const named = staged.flatMap(linkOf);
      if (named.length > 0) {
        await relabelStaged(tx, dimension, scope, named);
        await rememberLinks(tx, dimension, scope, named);
      }
      const found: string[] = [];
      for (const link of stored.flatMap(linkOf)) {
        found.push(...(await rekeyStored(tx, dimension, scope, link)));
        await rememberLinks(tx, dimension, scope, [link]);
      }
      return found;
    });
    days.push(...touched);
  }
  return days;
}

function linkOf({ made_id: madeId, found }: NamedMatch): Link[] {
  const [externalId, rival] = found;
  return externalId === undefined || rival !== undefined ? [] : [{ madeId, externalId }];
}

function refuseAmbiguous(matches: readonly NamedMatch[]): void {
  const ambiguous = matches.filter(({ found }) => found.length > 1);
  if (ambiguous.length === 0) return;
  const names = ambiguous
    .slice(0, MAX_NAMES_TOLD)
    .map(({ name, found }) => `"${name}" (${found.slice(0, MAX_NAMES_TOLD).join(', ')})`);
  throw new MillraceError('name_ambiguous', { names: names.join('; ') });
}

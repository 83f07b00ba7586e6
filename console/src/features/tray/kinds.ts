// What a dropped file can be: the kinds that kits declare, and one for each further pipeline that takes files.
import type { Pipeline } from '../../app/api.ts';
import { kits } from '../../pipelines/all.ts';
import type { FileKind } from '../../pipelines/kit.ts';
import type { Kind } from './kind.ts';

type Served = Pick<Pipeline, 'name' | 'title' | 'accepts'>;

/** Of the pipelines this server has. */
export function kindsOf(served: readonly Served[]): Kind[] {
  const takers = served.filter(({ accepts }) => accepts.length > 0);
  return takers.flatMap((pipeline) => {
    const kinds = kits.find(({ name }) => name === pipeline.name)?.kinds ?? [generalKind(pipeline)];
    const others = takers.filter((each) => each !== pipeline).flatMap(({ accepts }) => accepts);
    const endings = kinds.length === 1 ? pipeline.accepts.filter((ending) => !others.includes(ending)) : [];
    return kinds.map((kind) => ({ ...kind, pipeline: pipeline.name, endings }));
  });
}

function generalKind({ name, title }: Served): FileKind {
  return { name, title };
}

// The processors of an installation: those that come with Millrace and those of ITEM_PROCESSOR_MODULES.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { faultsIn } from '../../../contract/errors/faults-in.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { ImageReader } from '../images/image-process.ts';
import { catalogProcessor } from './catalog.ts';
import { type HttpDeps, httpProcessor } from './http.ts';
import { imageProcessor } from './image.ts';
import { inOwnProcess, type OwnLimits } from './own-process.ts';
import type { AnyProcessor } from './processor.ts';

export type Processors = ReadonlyMap<string, AnyProcessor>;

export async function openProcessors(
  modules: string | undefined,
  deps: HttpDeps,
  images: ImageReader,
  limits: OwnLimits,
): Promise<Processors> {
  const builtIn: readonly AnyProcessor[] = [catalogProcessor, httpProcessor(deps), imageProcessor(images)];
  const named = (modules ?? '').split(',').map((name) => name.trim());
  const own = await Promise.all(named.filter((name) => name !== '').map((name) => load(name, limits)));
  return processorsOf([...builtIn, ...own.flat()]);
}

export function processorsOf(processors: readonly AnyProcessor[]): Processors {
  const registry = new Map<string, AnyProcessor>();
  for (const processor of processors) {
    if (registry.has(processor.name)) throw new Error(`processor "${processor.name}" is defined twice`);
    registry.set(processor.name, processor);
  }
  return registry;
}

export function processorNamed(processors: Processors, name: string): AnyProcessor {
  const processor = processors.get(name);
  if (processor === undefined)
    throw new MillraceError('processor_unknown', { processor: name, known: [...processors.keys()].join(', ') });
  return processor;
}

export function checkedOptions(processor: AnyProcessor, given: unknown): unknown {
  const parsed = processor.options.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new MillraceError('processor_options_invalid', {
    processor: processor.name,
    reason: faultsIn(parsed.error, 'options'),
  });
}

async function load(name: string, limits: OwnLimits): Promise<AnyProcessor[]> {
  const specifier = /^[./]/.test(name) ? pathToFileURL(path.resolve(name)).href : name;
  const module = (await import(specifier)) as { default?: AnyProcessor | AnyProcessor[] };
  const given = module.default;
  if (given === undefined) throw new Error(`ITEM_PROCESSOR_MODULES: "${name}" exports no processor by default`);
  return [given].flat().map((processor) => inOwnProcess(processor, specifier, limits));
}

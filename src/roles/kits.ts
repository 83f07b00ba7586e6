// The pipelines of this installation, with everything they bring: the kits that come with Millrace, and those of the modules that
// PIPELINE_MODULES names.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { registerErrors } from '../contract/errors/catalogue.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { AnyPipeline } from '../engine/pipeline.ts';
import type { Service } from '../engine/services/loop.ts';
import type { Handlers } from '../http/call.ts';
import type { PipelineParts } from '../http/pipeline-parts.ts';
import { defaultUploadLimits, type UploadLimits } from '../http/uploads/upload-limits.ts';
import type { AlertedPipeline } from '../outbound/alerts/pipeline-alerts.ts';
import { kits as ownKits } from '../pipelines/all.ts';
import type { Consumer, KitBase, KitOpened, PipelineKit, ProcessParts } from '../pipelines/kit.ts';
import { type Config, readSettings } from '../platform/config.ts';
import { requireDeclaredRoles, requireOwnNames } from './check-kit.ts';
import { ENGINE_ROLE, type KitSchema } from './open-engine.ts';
import { type Preparation, preparationsOf } from './prepare-tables.ts';

/** A kit whose pipeline an engine runs. */
export interface KitAtWork {
  readonly kit: PipelineKit;
  readonly parts: PipelineParts;
  /** What it brings to alerts. */
  readonly alerted: AlertedPipeline;
  readonly consumers: readonly Consumer[];
  handlers(): Handlers;
  /** Of a kit with a process of its own. */
  process(): ProcessParts | undefined;
  /** Made again at each call, not started. */
  services(): readonly Service[];
}

export interface OpenedKits {
  readonly pipelines: readonly AnyPipeline[];
  /** What the database must have for them. */
  readonly schema: KitSchema;
  /** What makes the tables of pipelines that do not come with Millrace. */
  readonly preparations: readonly Preparation[];
  withEngine(engine: Engine): readonly KitAtWork[];
}

/** `modules`: as PIPELINE_MODULES has them. */
export async function loadKits(modules: string | undefined): Promise<readonly PipelineKit[]> {
  const names = (modules ?? '').split(',').map((name) => name.trim());
  const loaded = await Promise.all(names.filter((name) => name !== '').map(loadModule));
  const known = [...ownKits];
  for (const kit of loaded.flat()) {
    requireOwnNames(kit, known);
    registerErrors(kit.name, kit.errors ?? {});
    known.push(kit);
  }
  return known;
}

export async function openKits(kits: readonly PipelineKit[], base: Omit<KitBase, 'settings'>): Promise<OpenedKits> {
  const opened = await Promise.all(kits.map((kit) => openKit(kit, base)));
  return {
    pipelines: opened.map(({ pipeline }) => pipeline),
    schema: schemaOf(kits),
    preparations: preparationsOf(kits),
    withEngine(engine) {
      const atWork = opened.map(({ kit, own }) => putToWork(kit, own, engine));
      const intakes = new Map(
        atWork.flatMap(({ kit, parts }) => (parts.intake === undefined ? [] : [[kit.name, parts.intake] as const])),
      );
      const provider = opened.find(({ kit }) => kit.connectedSources !== undefined);
      const connected = provider?.kit.connectedSources?.(hostOf(provider.own, engine));
      for (const { kit, own } of opened) kit.ready?.(hostOf(own, engine), intakes, connected);
      return atWork;
    },
  };
}

/** The database roles of the kits, and the migrations of those that do not come with Millrace. */
export function schemaOf(kits: readonly PipelineKit[]): KitSchema {
  return {
    roles: kits.flatMap(({ databaseRoles = [] }) => databaseRoles),
    own: kits.flatMap(({ name, migrations }) =>
      migrations === undefined ? [] : [{ owner: name, folder: fileURLToPath(migrations) }],
    ),
  };
}

/** Logins of processes that work on one pipeline alone. */
export function loginsOf(kits: readonly PipelineKit[], config: Config): KitSchema['logins'] {
  return kits.flatMap(({ process: own, settings }) => {
    const login = own?.login(settings === undefined ? {} : readSettings(config, settings));
    return own === undefined || login === undefined ? [] : [{ login, roles: [ENGINE_ROLE, ...own.databaseRoles] }];
  });
}

/** Pipelines whose runs the workers of other processes leave alone. */
export function pipelinesApart(kits: readonly KitAtWork[], config: Config): string[] {
  return kits.flatMap(({ kit: { name, process: own, settings } }) =>
    own?.isApart(settings === undefined ? {} : readSettings(config, settings)) ? [name] : [],
  );
}

export function uploadLimits(config: Config): UploadLimits {
  return {
    ...defaultUploadLimits,
    maxFileBytes: config.uploadMaxSizeMb * 1024 ** 2,
    idleMs: config.uploadIdleTimeoutSeconds * 1_000,
  };
}

async function openKit(kit: PipelineKit, base: Omit<KitBase, 'settings'>) {
  const settings = kit.settings === undefined ? {} : readSettings(base.config, kit.settings);
  const own = { ...base, settings, own: await kit.open?.({ ...base, settings }) };
  const pipeline = kit.pipeline(own);
  requireDeclaredRoles(kit, pipeline);
  return { kit, own, pipeline };
}

function putToWork(kit: PipelineKit, opened: KitOpened<unknown>, engine: Engine): KitAtWork {
  const host = hostOf(opened, engine);
  const intake = kit.intake?.(host);
  const readings = kit.readings?.(host);
  const rejects = kit.rejects?.(host);
  const actions = kit.actions?.(host);
  const routes = kit.routes?.(host);
  return {
    kit,
    parts: {
      title: kit.title,
      ...(intake ? { intake } : {}),
      ...(readings ? { readings } : {}),
      ...(rejects ? { rejects } : {}),
      ...(actions ? { actions } : {}),
      ...(routes ? { routes } : {}),
      ...(kit.isDefault ? { isDefault: true } : {}),
      ...(kit.mayStart ? { mayStart: true } : {}),
      ...(kit.rows ? { rows: kit.rows } : {}),
      ...(kit.samples ? { samples: kit.samples } : {}),
      ...(kit.figures ? { figures: kit.figures } : {}),
      ...(kit.channel === undefined ? {} : { channel: kit.channel }),
      ...(kit.isPrivate === undefined ? {} : { isPrivate: kit.isPrivate }),
      ...(kit.retriesAreAttempts ? { retriesAreAttempts: true } : {}),
      ...(kit.provider === undefined ? {} : { provider: kit.provider }),
    },
    alerted: alertedOf(kit, opened),
    consumers: kit.consumers?.(host) ?? [],
    handlers: () => kit.handlers?.(host) ?? {},
    services: () => kit.services?.(host) ?? [],
    process: () => kit.process?.open(host),
  };
}

function hostOf(opened: KitOpened<unknown>, engine: Engine) {
  return { ...opened, engine, uploadLimits: uploadLimits(opened.config) };
}

/** What alerts know of a kit. */
export function alertedOf(kit: PipelineKit, base: KitBase): AlertedPipeline {
  const { label, runsBy } = kit.figures ?? {};
  const staleAfter = kit.figures?.staleAfter?.(base);
  const rules = [...(kit.alerts?.rules ?? []), ...(kit.alertRules?.(base) ?? [])];
  return {
    ...kit.alerts,
    ...(rules.length === 0 ? {} : { rules }),
    ...(label === undefined ? {} : { label }),
    ...(runsBy === undefined ? {} : { runsBy }),
    ...(staleAfter === undefined ? {} : { staleAfter }),
  };
}

async function loadModule(name: string): Promise<PipelineKit[]> {
  const file = path.resolve(name);
  const exported = await import(pathToFileURL(file).href).then(
    (module) => module as Record<string, unknown>,
    (error: Error) => {
      const reason = error.message.split('\n')[0] ?? error.name;
      throw new MillraceError('pipeline_module_invalid', { module: name, reason }, { cause: error });
    },
  );
  const values = Object.values(exported).flat();
  const prepare = exported.prepare as PipelineKit['prepare'];
  const plain = values.filter(isPipeline).map((pipeline, index) => kitOf(pipeline, index === 0 ? prepare : undefined));
  const found = [...values.filter(isKit), ...plain];
  if (found.length === 0)
    throw new MillraceError('pipeline_module_invalid', { module: name, reason: 'it exports no pipeline' });
  return found;
}

/** A module may export bare pipelines, and `prepare` for their tables. */
function kitOf(pipeline: AnyPipeline, prepare: PipelineKit['prepare']): PipelineKit {
  const { name } = pipeline;
  return {
    name,
    title: name.charAt(0).toUpperCase() + name.slice(1),
    pipeline: () => pipeline,
    ...(typeof prepare === 'function' ? { prepare } : {}),
  };
}

function isPipeline(value: unknown): value is AnyPipeline {
  return hasAll(value, ['name', 'machine', 'input', 'stages', 'retry']);
}

function isKit(value: unknown): value is PipelineKit {
  return hasAll(value, ['name', 'title', 'pipeline']) && typeof (value as PipelineKit).pipeline === 'function';
}

function hasAll(value: unknown, keys: readonly string[]): value is object {
  return typeof value === 'object' && value !== null && keys.every((key) => key in value);
}

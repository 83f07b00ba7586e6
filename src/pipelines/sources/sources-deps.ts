// What a sync and the handlers of sources share.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Pool } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Intake } from '../../sources/intake.ts';
import type { SourceSettings } from './settings.ts';

/** Known once all pipelines of the installation are at work. */
export interface SourcesHouse {
  readonly engine: Engine;
  /** Rows of intakes are written under the tenant's own policy. */
  readonly pool: Pool;
  readonly maxBytes: number;
  readonly intakes: ReadonlyMap<string, Intake>;
}

export interface SourcesDeps {
  readonly settings: SourceSettings;
  readonly store: BlobStore;
  readonly secrets: SecretBox;
  readonly log: Log;
  /** Set when the installation is open, before any run is worked. */
  house: SourcesHouse | undefined;
}

export function houseOf({ house }: SourcesDeps): SourcesHouse {
  if (house === undefined) throw new Error('the installation of these sources is not open');
  return house;
}

/** The pipeline that objects of a source become runs of. */
export function intakeNamed(deps: SourcesDeps, pipeline: string): Intake {
  const { intakes } = houseOf(deps);
  const intake = intakes.get(pipeline);
  if (intake !== undefined) return intake;
  const faults = `pipeline: no pipeline "${pipeline}" takes files; there are ${[...intakes.keys()].join(', ')}`;
  throw new MillraceError('source_settings_invalid', { faults });
}

// What sources may reach.
import type { z } from 'zod';
import { flag, integer, optionalText } from '../../platform/config/setting.ts';
import type { SettingGroup } from '../../platform/config.ts';

const shape = {
  allowPrivateSources: flag('ALLOW_PRIVATE_SOURCES', {
    default: false,
    doc: 'Sources may reach servers in private networks and on this machine. Metadata addresses of clouds stay refused.',
  }),
  allowServerIdentity: flag('SOURCE_SERVER_IDENTITY', {
    default: false,
    doc: 'S3 sources without keys use the AWS identity of this server. Everybody who may add a source can then read what this server may read.',
  }),
  sourceFolderRoots: optionalText('SOURCE_FOLDER_ROOTS', {
    unset: 'none',
    doc: 'Folders below which sources may read files of this server, separated by commas. WATCHED_FOLDERS needs none.',
  }),
  sourceMaxObjects: integer('SOURCE_MAX_OBJECTS', {
    min: 1,
    max: 1_000_000_000,
    default: 10_000_000,
    unit: 'objects',
    doc: 'If a listing has more objects than this, the sync fails and deactivates nothing.',
  }),
  sourceReadTimeoutMinutes: integer('SOURCE_READ_TIMEOUT_MINUTES', {
    min: 1,
    max: 1_440,
    default: 60,
    unit: 'minutes',
    doc: 'Reading one object of a source may take this long.',
  }),
};

export const sourceSettings = { title: 'Sources', shape } satisfies SettingGroup<typeof shape>;

export type SourceSettings = z.infer<z.ZodObject<typeof shape>>;

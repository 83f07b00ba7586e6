// What documents need from the settings: the embedder, the limits of the extraction process, and where things are kept.
import path from 'node:path';
import type { BlobStore } from '../../platform/blob/blob-store.ts';
import type { Config } from '../../platform/config.ts';
import type { DocumentsDeps } from './deps.ts';
import { openEmbedders } from './embedding/model-catalogue.ts';
import { tessdataFolder } from './embedding/model-folder.ts';
import { searchOf } from './search/open-search.ts';
import type { DocumentSettings } from './settings.ts';

export function openDocuments(settings: DocumentSettings, config: Config, store: BlobStore): DocumentsDeps {
  const embedders = openEmbedders(settings);
  return {
    store,
    ...embedders,
    search: searchOf(settings, embedders.embedder, embedders.otherEmbedders),
    buildShare: settings.embeddingBuildShare,
    limits: { maxMemoryMb: settings.extractMaxMemoryMb, timeoutMs: settings.extractTimeoutSeconds * 1_000 },
    ocr: settings.ocr,
    ocrLanguage: settings.ocrLanguage,
    tessdata: settings.ocrDataPath ?? tessdataFolder,
    artifacts: path.resolve(settings.artifactStorePath ?? path.join(config.home, 'artifacts')),
    keepRaw: settings.keepRaw,
    failedTtlDays: settings.uploadFailedTtlDays,
    activation: settings.versionActivation,
    overdueAfterMs: settings.ingestMode === 'ledger' ? undefined : settings.deliveryOverdueSeconds * 1_000,
  };
}

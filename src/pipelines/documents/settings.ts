// Documents: how they are read, embedded, kept and served.
import type { z } from 'zod';
import { choice, integer, optionalText, optionalUrl, text } from '../../platform/config/setting.ts';
import type { SettingGroup } from '../../platform/config.ts';
import { deliveryFaults, deliveryShape } from './delivery/delivery-shape.ts';
import { faultsOfListed } from './embedding/listed-models.ts';
import { searchFaults, searchShape } from './search/search-shape.ts';

const shape = {
  ocr: choice('OCR', ['auto', 'off'], {
    default: 'auto',
    doc: 'auto: pages of a PDF without a usable text layer are read from their image. off: they are rejected, with the reason.',
  }),
  ocrLanguage: text('OCR_LANGUAGE', {
    default: 'eng',
    doc: 'Languages of the OCR, joined by +. Only eng comes with Millrace; others need OCR_DATA_PATH.',
  }),
  ocrDataPath: optionalText('OCR_DATA_PATH', {
    unset: 'what comes with Millrace',
    doc: 'A folder with *.traineddata files of Tesseract.',
  }),
  extractTimeoutSeconds: integer('EXTRACT_TIMEOUT_SECONDS', {
    min: 1,
    max: 3_600,
    default: 30,
    unit: 'seconds',
    doc: 'How long the process that reads documents may take for 20 pages without OCR; with OCR it has this long for each page. A process that a busy machine gives little time is waited for, up to fifteen times as long.',
  }),
  extractMaxMemoryMb: integer('EXTRACT_MAX_MEMORY_MB', {
    min: 128,
    max: 65_536,
    default: 512,
    unit: 'MB',
    doc: 'Memory of the process that reads a document; above it Millrace ends the process and reads on page by page. It rejects the page that needs too much; a document without pages fails with document_too_complex.',
  }),
  embeddingProvider: choice('EMBEDDING_PROVIDER', ['embedded', 'local', 'http'], {
    default: 'embedded',
    doc: 'embedded: the model that comes with Millrace. local: ONNX weights in EMBEDDING_MODEL_PATH. http: a service at EMBEDDING_URL.',
  }),
  embeddingModel: optionalText('EMBEDDING_MODEL', {
    unset: 'all-MiniLM-L6-v2, or the name of the folder',
    doc: 'Name of the model, as the service knows it, e.g. BAAI/bge-base-en-v1.5.',
  }),
  embeddingDim: integer('EMBEDDING_DIM', {
    min: 0,
    max: 16_000,
    default: 0,
    unit: 'dimensions',
    doc: 'Dimensions of the vectors of a service. 0: known from the model (embedded and local).',
  }),
  embeddingUrl: optionalUrl('EMBEDDING_URL', ['http', 'https'], {
    doc: 'Address of the service, e.g. http://embed-svc:8001.',
  }),
  embeddingApi: choice('EMBEDDING_API', ['openai', 'tei', 'embed-svc'], {
    default: 'openai',
    doc: 'What the service speaks: OpenAI (/embeddings), text-embeddings-inference (/embed with inputs) or embed-svc (/embed with texts).',
  }),
  embeddingApiKey: optionalText('EMBEDDING_API_KEY', { secret: true, doc: 'Sent to the service as a bearer token.' }),
  embeddingModelPath: optionalText('EMBEDDING_MODEL_PATH', {
    doc: 'Folder with onnx/model.onnx, tokenizer.json and config.json. Needed when EMBEDDING_PROVIDER is local.',
  }),
  embeddingRuntime: choice('EMBEDDING_RUNTIME', ['auto', 'native', 'wasm'], {
    default: 'auto',
    doc: 'auto: onnxruntime-node where it is installed, else wasm.',
  }),
  embeddingBatch: integer('EMBEDDING_BATCH', {
    min: 1,
    max: 256,
    default: 64,
    unit: 'passages',
    doc: 'The most passages in one request to the service; halved when it says that is too much.',
  }),
  embeddingTimeoutSeconds: integer('EMBEDDING_TIMEOUT_SECONDS', {
    min: 1,
    max: 600,
    default: 60,
    unit: 'seconds',
    doc: 'How long one request to the service may take.',
  }),
  embeddingModels: optionalText('EMBEDDING_MODELS', {
    secret: true,
    unset: 'none',
    doc: 'Further models that tenants may change to with "millrace models", as a JSON list: {"provider": "http", "model", "dim", "url", "api", "key"} or {"provider": "local", "path", "model"}.',
  }),
  embeddingBuildShare: integer('EMBEDDING_BUILD_SHARE', {
    min: 1,
    max: 100,
    default: 50,
    unit: '%',
    doc: 'How much of the time vectors of a new model are made in the background; the rest is a pause after each part.',
  }),
  keepRaw: choice('KEEP_RAW', ['keep', 'delete'], {
    default: 'keep',
    doc: 'keep: the file of a version stays, for download, verification, page images and OCR. delete: it goes once the run has succeeded.',
  }),
  uploadFailedTtlDays: integer('UPLOAD_FAILED_TTL_DAYS', {
    min: 1,
    max: 3_650,
    default: 7,
    unit: 'days',
    doc: 'The file of a document run that failed is kept this long.',
  }),
  artifactStorePath: optionalText('ARTIFACT_STORE_PATH', {
    unset: 'MILLRACE_HOME/artifacts',
    doc: 'The folder of extracted artifacts: <tenant>/<document>/<version>.json.',
  }),
  versionActivation: choice('VERSION_ACTIVATION', ['monotonic', 'last-completed'], {
    default: 'monotonic',
    doc: 'Which version is served: of the newest observation of the source, or of the run that ended last.',
  }),
  crashGuardRunningStaleMin: integer('CRASH_GUARD_RUNNING_STALE_MIN', {
    min: 1,
    max: 10_080,
    default: 15,
    unit: 'minutes',
    doc: 'Millrace logs a document run whose worker has been silent for this long, and counts it as stale. The run continues from its last part by itself.',
  }),
  crashGuardQueuedTtlHours: integer('CRASH_GUARD_QUEUED_TTL_HOURS', {
    min: 1,
    max: 8_760,
    default: 1,
    unit: 'hours',
    doc: 'A document run that nobody has picked up for this long is logged and opens the alert documents_not_picked_up. It stays queued, unless INGEST_MODE is http and no worker accepted it: then it fails.',
  }),
  ...deliveryShape,
  ...searchShape,
};

export const documentSettings = {
  title: 'Documents',
  shape,
  faults: ({
    embeddingProvider,
    embeddingUrl,
    embeddingModel,
    embeddingDim,
    embeddingModelPath,
    embeddingModels,
    ...rest
  }) => [
    ...searchFaults(rest),
    ...deliveryFaults(rest),
    ...faultsOfListed(embeddingModels),
    ...(embeddingProvider === 'http' &&
    (embeddingUrl === undefined || embeddingModel === undefined || embeddingDim === 0)
      ? ['EMBEDDING_PROVIDER=http needs EMBEDDING_URL, EMBEDDING_MODEL and EMBEDDING_DIM']
      : []),
    ...(embeddingProvider === 'local' && embeddingModelPath === undefined
      ? ['EMBEDDING_PROVIDER=local needs EMBEDDING_MODEL_PATH']
      : []),
  ],
} satisfies SettingGroup<typeof shape>;

export type DocumentSettings = z.infer<z.ZodObject<typeof shape>>;

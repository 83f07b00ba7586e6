// The doctor's question about documents: does the model that the settings name really embed, how does it run, and is the data of the OCR there?
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { type Config, readSettings } from '../../../platform/config.ts';
import type { Queryable } from '../../../platform/database.ts';
import type { Embedder } from '../embedding/embedder.ts';
import { tessdataFolder } from '../embedding/model-folder.ts';
import { openEmbedder } from '../embedding/open-embedder.ts';
import { type DocumentSettings, documentSettings } from '../settings.ts';

const check = 'documents';

export async function checkDocuments(_db: Queryable, config: Pick<Config, 'environment'>): Promise<Finding> {
  const settings = readSettings(config, documentSettings);
  const missing = missingOcrData(settings);
  if (missing.length > 0)
    return {
      check,
      state: 'fail',
      detail: `the data of the OCR is missing: ${missing.join(', ')}`,
      fix:
        settings.ocrDataPath === undefined
          ? 'Run "npm run build:models", or set OCR=off.'
          : 'Put the files into OCR_DATA_PATH, or change OCR_LANGUAGE.',
    };
  return checkEmbedder(settings);
}

function missingOcrData({ ocr, ocrLanguage, ocrDataPath = tessdataFolder }: DocumentSettings): string[] {
  if (ocr === 'off') return [];
  return ocrLanguage
    .split('+')
    .map((language) => `${language}.traineddata`)
    .filter((file) => !existsSync(path.join(ocrDataPath, file)));
}

async function checkEmbedder(settings: DocumentSettings): Promise<Finding> {
  let embedder: Embedder | undefined;
  try {
    embedder = openEmbedder(settings);
    const { name, dims } = embedder.facts;
    await embedder.embed(['a question of the doctor']);
    const runtime = await embedder.runtime();
    return { check, state: 'ok', detail: `${name} (${dims} dimensions) ${howItRuns(runtime)}` };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { check, state: 'fail', detail, fix: fixOf(settings) };
  } finally {
    embedder?.close();
  }
}

function howItRuns(runtime: string): string {
  if (runtime === 'native') return 'runs natively (onnxruntime-node)';
  if (runtime === 'wasm')
    return 'runs on wasm; onnxruntime-node installed beside Millrace makes it about eight times as quick';
  return `by ${runtime}`;
}

function fixOf({ embeddingProvider, embeddingRuntime }: DocumentSettings): string {
  if (embeddingProvider === 'http')
    return 'Check EMBEDDING_URL, EMBEDDING_API, EMBEDDING_API_KEY and EMBEDDING_DIM, and that the service runs.';
  if (embeddingRuntime === 'native') return 'Install onnxruntime-node beside Millrace, or set EMBEDDING_RUNTIME=auto.';
  return embeddingProvider === 'local'
    ? 'EMBEDDING_MODEL_PATH must be a folder with onnx/model.onnx, tokenizer.json and config.json.'
    : 'Run "npm run build:models".';
}

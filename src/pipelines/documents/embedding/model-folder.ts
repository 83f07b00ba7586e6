// A folder with an ONNX model as sentence-transformers and the model hubs lay it out, and the folder that comes with Millrace (models/,
// made by scripts/build-models.mjs from packages whose files are pinned by SHA-256).
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { WordPiece } from './word-piece.ts';

export interface ModelFolder {
  readonly folder: string;
  readonly weights: string;
  readonly dims: number;
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'cls';
}

/** Made by the build beside db/ and samples/; tests and the built product find the same one. */
const modelsFolder = findModels(fileURLToPath(new URL('.', import.meta.url)));

export const embeddedFolder = path.join(modelsFolder, 'all-MiniLM-L6-v2');
export const tessdataFolder = path.join(modelsFolder, 'tessdata');
export const onnxFolder = path.join(modelsFolder, 'onnxruntime-web');

const candidates = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'];
const MAX_TOKENS = 512;

export function readModelFolder(folder: string): ModelFolder {
  const weights = candidates.map((name) => path.join(folder, name)).find((file) => existsSync(file));
  if (weights === undefined || !existsSync(path.join(folder, 'tokenizer.json')))
    throw new MillraceError('embedding_model_unusable', {
      reason: `${folder} has no ${weights === undefined ? 'onnx/model.onnx' : 'tokenizer.json'}`,
    });
  const config = readJson(path.join(folder, 'config.json')) ?? {};
  const sentence = readJson(path.join(folder, 'sentence_bert_config.json')) ?? {};
  const pooling = readJson(path.join(folder, '1_Pooling', 'config.json')) ?? {};
  const dims = Number(config.hidden_size);
  if (!(dims > 0))
    throw new MillraceError('embedding_model_unusable', { reason: `${folder}/config.json has no hidden_size` });
  return {
    folder,
    weights,
    dims,
    maxTokens: Number(sentence.max_seq_length ?? config.max_position_embeddings ?? MAX_TOKENS),
    pooling: pooling.pooling_mode_cls_token === true ? 'cls' : 'mean',
  };
}

export function readTokenizer(folder: string): WordPiece {
  try {
    return WordPiece.fromJson(readJson(path.join(folder, 'tokenizer.json')));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MillraceError('embedding_model_unusable', { reason }, { cause: error });
  }
}

function readJson(file: string): Record<string, unknown> | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : undefined;
}

/** Sources lie four folders deep, the build four as well, compiled programs of the tests one deeper. */
function findModels(from: string): string {
  for (let at = from; path.dirname(at) !== at; at = path.dirname(at)) {
    const models = path.join(at, 'models');
    if (existsSync(path.join(models, 'README.md'))) return models;
  }
  return path.join(from, '../../../../models');
}

// The doctor's question about documents: is the model there, and how does it run?
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Finding } from '../../../cli/doctor/finding.ts';
import { embeddedFolder, tessdataFolder } from '../embedding/model-folder.ts';

export async function checkDocuments(): Promise<Finding> {
  const check = 'documents';
  const missing = [
    path.join(embeddedFolder, 'onnx/model_quantized.onnx'),
    path.join(tessdataFolder, 'eng.traineddata'),
  ].filter((file) => !existsSync(file));
  if (missing.length > 0)
    return {
      check,
      state: 'fail',
      detail: `missing: ${missing.map((file) => path.basename(file)).join(', ')}`,
      fix: 'Run "npm run build:models".',
    };
  return {
    check,
    state: 'ok',
    detail: hasNative()
      ? 'the embedded model runs natively (onnxruntime-node)'
      : 'the embedded model runs on wasm; onnxruntime-node beside Millrace makes it about eight times as quick',
  };
}

function hasNative(): boolean {
  try {
    createRequire(import.meta.url).resolve('onnxruntime-node');
    return true;
  } catch {
    return false;
  }
}

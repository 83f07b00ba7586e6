// The embedded model really embeds; a service is spoken to in its own words, and its mistakes are found.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { nativeRuntimeFolder } from '../../../../test/bench/native-runtime.ts';
import type { DocumentSettings } from '../settings.ts';
import { signBits, vectorBytes, vectorOf } from './embedder.ts';
import { HttpEmbedder, type HttpEmbedderOptions } from './http-embedder.ts';
import { embeddedFolder, readModelFolder, readTokenizer } from './model-folder.ts';
import { OnnxEmbedder } from './onnx-embedder.ts';
import { OnnxModel } from './onnx-model.ts';
import { embeddedModel, openEmbedder } from './open-embedder.ts';

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the embedded model', () => {
  const embedder = new OnnxEmbedder(embeddedModel, embeddedFolder, 'wasm');
  afterAll(() => embedder.close());

  it('puts texts that mean the same closer than others, in vectors of length 1', async () => {
    const [cat, kitten, tax] = await embedder.embed([
      'A cat sleeps on the sofa.',
      'The kitten is napping on a couch.',
      'Income tax is due in April.',
    ]);
    if (cat === undefined || kitten === undefined || tax === undefined) throw new Error('three vectors were asked for');
    expect(cat).toHaveLength(384);
    expect(cosine(cat, cat)).toBeCloseTo(1, 4);
    expect(cosine(cat, kitten)).toBeGreaterThan(0.5);
    expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, tax) + 0.3);
    expect(await embedder.runtime()).toBe('wasm');
  });

  it('counts tokens as BERT does', () => {
    const tokenizer = readTokenizer(embeddedFolder);
    expect(tokenizer.count('Unaffable')).toBe(3);
    expect([tokenizer.unknownShare('How long are backups kept?'), tokenizer.unknownShare('')]).toEqual([0, 0]);
    expect(tokenizer.unknownShare('備份保存多久')).toBeCloseTo(4 / 6);
    expect(tokenizer.encode('Hello, world!', 256)).toEqual([101, 7592, 1010, 2088, 999, 102]);
    expect(tokenizer.count('Ünïcödé 東京')).toBe(tokenizer.count('unicode') + 2);
    expect(tokenizer.encode('word '.repeat(600), 256)).toHaveLength(256);
  });
});

describe('the native runtime', () => {
  const weights = readModelFolder(embeddedFolder);
  const isThere = existsSync(path.join(nativeRuntimeFolder, 'node_modules', 'onnxruntime-node'));

  // It takes 290 MB and no test may fetch it: "npm run bench -- documents" does, and this test uses what it left.
  it.runIf(isThere)('embeds as wasm does: vectors of both serve one collection', async () => {
    const native = await OnnxModel.load(weights, 'native', nativeRuntimeFolder);
    const wasm = await OnnxModel.load(weights, 'wasm');
    expect([native.runtime, wasm.runtime]).toEqual(['native', 'wasm']);
    for (const text of ['A cat sleeps on the sofa.', 'Records are kept for ten years. '.repeat(20), 'Ünïcödé 東京']) {
      const [one, other] = [await native.embed(text), await wasm.embed(text)];
      expect(one).toHaveLength(384);
      expect(cosine(one, other)).toBeGreaterThan(0.98);
    }
  });

  it('is not needed: auto falls back to wasm where it is not installed, native says what is missing', async () => {
    const nowhere = mkdtempSync(path.join(tmpdir(), 'millrace-no-runtime-'));
    try {
      expect((await OnnxModel.load(weights, 'auto', nowhere)).runtime).toBe('wasm');
      await expect(OnnxModel.load(weights, 'native', nowhere)).rejects.toThrow(/onnxruntime-node is not installed/);
    } finally {
      rmSync(nowhere, { recursive: true, force: true });
    }
  });
});

describe('a folder with weights', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-model-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { embeddingProvider: 'local', embeddingRuntime: 'wasm' } as DocumentSettings;

  it('is embedded with, in its own dimensions, and named by its weights wherever it lies', async () => {
    const copy = path.join(folder, 'bge-like');
    cpSync(embeddedFolder, copy, { recursive: true });
    // A model of the hub says how it pools.
    mkdirSync(path.join(copy, '1_Pooling'));
    writeFileSync(path.join(copy, '1_Pooling', 'config.json'), JSON.stringify({ pooling_mode_cls_token: true }));
    const embedder = openEmbedder({ ...settings, embeddingModelPath: copy });
    const other = openEmbedder({ ...settings, embeddingModelPath: embeddedFolder, embeddingModel: 'bge-like' });
    expect(embedder.facts).toMatchObject({ name: 'bge-like', provider: 'local', dims: 384 });
    expect(embedder.facts.modelId).toMatch(/^bge-like@[0-9a-f]{8}$/);
    expect(other.facts.modelId).toBe(embedder.facts.modelId);
    const [first] = await embedder.embed(['A cat sleeps.']);
    const [mean] = await other.embed(['A cat sleeps.']);
    embedder.close();
    other.close();
    expect(cosine(first as Float32Array, first as Float32Array)).toBeCloseTo(1, 4);
    // The first token alone is not the mean of all.
    expect(cosine(first as Float32Array, mean as Float32Array)).toBeLessThan(0.999);
  });

  it('that lacks a file, and a native runtime that is not installed, are matters of configuration', async () => {
    expect(() => openEmbedder({ ...settings, embeddingModelPath: folder })).toThrow(/has no onnx\/model.onnx/);
    const native = new OnnxEmbedder(embeddedModel, embeddedFolder, 'native');
    const error = await native.embed(['x']).catch((thrown: unknown) => thrown);
    native.close();
    expect(error).toMatchObject({ code: 'embedding_model_unusable', kind: 'config' });
  });
});

describe('vectors', () => {
  it('survive storage, and their signs are their bits', () => {
    const vector = Float32Array.from([0.5, -0.25, 0, -1]);
    expect(vectorOf(vectorBytes(vector))).toEqual(vector);
    expect(signBits(vector)).toBe('1010');
  });
});

describe('a service', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const facts = { modelId: 'm@http-2', name: 'm', provider: 'http' as const, dims: 2, maxTokens: 512 };

  async function serve(
    answer: (body: never, request: IncomingMessage) => { status?: number; json: unknown },
    over: Partial<HttpEmbedderOptions> = {},
  ) {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { status = 200, json } = answer(JSON.parse(text) as never, request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new HttpEmbedder(facts, { url, api: 'openai', apiKey: 'secret', maxBatch: 8, timeoutMs: 60_000, ...over });
  }

  it('of OpenAI gets model, input and key; its answers are put in order', async () => {
    const embedder = await serve((body: { input: string[]; model: string }, request) => {
      expect([request.url, request.headers.authorization, body.model]).toEqual(['/embeddings', 'Bearer secret', 'm']);
      return { json: { data: body.input.map((text, index) => ({ index, embedding: [Number(text), 0] })).reverse() } };
    });
    expect(await embedder.embed(['3', '-4'])).toEqual([Float32Array.from([1, 0]), Float32Array.from([-1, 0])]);
  });

  it('of text-embeddings-inference and embed-svc is asked in its own words', async () => {
    const tei = await serve((body: { inputs: string[] }) => ({ json: body.inputs.map(() => [0, 1]) }), { api: 'tei' });
    expect(await tei.embed(['a'])).toHaveLength(1);
    server?.close();
    const svc = await serve((body: { texts: string[] }) => ({ json: { embeddings: body.texts.map(() => [0, 1]) } }), {
      api: 'embed-svc',
    });
    expect(await svc.embed(['a', 'b'])).toHaveLength(2);
  });

  it('that finds a request too large gets half of it', async () => {
    const sizes: number[] = [];
    const embedder = await serve((body: { input: string[] }) => {
      sizes.push(body.input.length);
      if (body.input.length > 2) return { status: 413, json: {} };
      return { json: { data: body.input.map((_, index) => ({ index, embedding: [1, 0] })) } };
    });
    expect(await embedder.embed(['1', '2', '3', '4', '5'])).toHaveLength(5);
    expect(sizes[0]).toBe(5);
    expect(Math.max(...sizes.slice(-2))).toBeLessThanOrEqual(3);
  });

  it('that fails is tried again later, that refuses or lies about its dimensions is a matter of configuration', async () => {
    const failing = async (answer: { status?: number; json: unknown }) => {
      const embedder = await serve(() => answer);
      const error = await embedder.embed(['x']).catch((thrown: unknown) => thrown);
      server?.close();
      return error as { code: string; kind: string };
    };
    expect(await failing({ status: 503, json: {} })).toMatchObject({
      code: 'embedding_provider_failed',
      kind: 'transient',
    });
    expect(await failing({ status: 401, json: {} })).toMatchObject({
      code: 'embedding_provider_refused',
      kind: 'config',
    });
    expect(await failing({ json: { data: [{ index: 0, embedding: [1, 2, 3] }] } })).toMatchObject({
      code: 'embedding_provider_refused',
    });
    expect(await failing({ json: { data: [] } })).toMatchObject({ code: 'embedding_provider_failed' });
  });
});

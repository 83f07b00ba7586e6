// The console at /: its built files when they are there, a plain page that says so when they are not. Paths of the console itself
// (anything that is not an API path) get its index page, so that a link to a run can be opened directly.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pagePolicy } from './security-headers.ts';

const YEAR_S = 31_536_000;
const isForPrograms = /^\/(v1|api|mcp|docs|assets|internal)(\/|$)|\.\w{1,8}(\?|$)/;
const plainPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Millrace</title>
<h1>Millrace is running</h1>
<p>The console is not part of this build. The API is described at <a href="/docs">/docs</a>;
health is at <a href="/health">/health</a>.</p>
`;

export async function serveConsole(server: FastifyInstance, folder: string | undefined): Promise<void> {
  const index = folder === undefined ? undefined : path.join(folder, 'index.html');
  const page = index !== undefined && existsSync(index) ? readFileSync(index, 'utf8') : plainPage;
  const sendPage = (reply: FastifyReply) =>
    reply
      .header('content-security-policy', pagePolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page);
  if (folder !== undefined && existsSync(path.join(folder, 'assets'))) {
    // Vite puts a hash into every name under assets/, so they never change.
    await server.register(fastifyStatic, {
      root: path.join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      maxAge: YEAR_S * 1000,
      immutable: true,
    });
  }
  server.get('/', (_request, reply) => sendPage(reply));
  // The console finds its own way from here; what looks like a call of the API or a file is answered as missing.
  server.get('/*', (request, reply) => {
    if (isForPrograms.test(request.url)) return reply.callNotFound();
    return sendPage(reply);
  });
}

// /docs/errors: the page that the `type` of every problem answer points at, each code under its own anchor. Made from the catalogue of
// this process, so that it needs no network and has the codes of pipelines that do not come with Millrace.
import type { FastifyInstance } from 'fastify';
import { listErrors } from '../../contract/errors/catalogue.ts';
import { errorKinds } from '../../contract/errors/entry.ts';
import { pagePolicy } from './security-headers.ts';

const ERRORS_PAGE = '/docs/errors';

export function serveErrorPages(server: FastifyInstance): void {
  server.get(ERRORS_PAGE, (_request, reply) =>
    reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8').send(errorsPage()),
  );
}

function errorsPage(): string {
  const kinds = Object.entries(errorKinds).map(([kind, meaning]) => `<dt>${kind}</dt><dd>${escapeHtml(meaning)}</dd>`);
  const codes = listErrors().map(
    ([code, { kind, status, message, next }]) => `<section id="${escapeHtml(code)}">
<h2><a href="#${escapeHtml(code)}">${escapeHtml(code)}</a></h2>
<p>${escapeHtml(message)}</p>
<p>${escapeHtml(next)}</p>
<p>HTTP ${status}, kind <a href="#kinds">${kind}</a></p>
</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Millrace</title>
</head>
<body>
<main>
<h1>Errors</h1>
<p>Every error has a code that does not change. Words in braces are filled in. What happens next is decided by the kind alone.</p>
<p><a href="/docs">The API</a></p>
${codes.join('\n')}
<section id="kinds">
<h2>Kinds</h2>
<dl>
${kinds.join('\n')}
</dl>
</section>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

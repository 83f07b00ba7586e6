// Counts and times requests by operation and status class, for /metrics. Labels are names of ours only, never anything a caller sent.
import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, register } from 'prom-client';

const seconds = metric(
  'millrace_http_request_seconds',
  (name) =>
    new Histogram({
      name,
      help: 'Time from the first byte of a request to the last byte of its answer.',
      labelNames: ['operation', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    }),
);

const refused = metric(
  'millrace_http_refused_total',
  (name) =>
    new Counter({ name, help: 'Requests answered with a problem object.', labelNames: ['operation', 'status'] }),
);

export function measureRequests(server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'other';
    const status = String(reply.statusCode);
    seconds.observe({ operation, status: `${status[0]}xx` }, reply.elapsedTime / 1000);
    if (reply.statusCode >= 400) refused.inc({ operation, status });
    done();
  });
}

/** One per process, however many apps it makes. */
function metric<M>(name: string, make: (name: string) => M): M {
  return (register.getSingleMetric(name) as M | undefined) ?? make(name);
}

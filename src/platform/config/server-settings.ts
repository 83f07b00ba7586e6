// Settings of the process: where it listens, where it keeps its files, what it logs, and how it stops.
import { z } from 'zod';
import { choice, flag, integer, optionalUrl, settingInfo, text } from './setting.ts';

const metricsPortTakes = 'a whole number from 0 to 65535, or off';
const metricsPort = z
  .string()
  .regex(/^(?:off|\d{1,5})$/, metricsPortTakes)
  .transform((value) => (value === 'off' ? ('off' as const) : Number(value)))
  .refine((value) => value === 'off' || value <= 65_535, metricsPortTakes)
  .optional();
settingInfo.add(metricsPort, {
  env: 'METRICS_PORT',
  doc: 'Worker and scheduler: the port of /health and /metrics. Unset, the first free one from 8081 on, so that several workers fit on a machine; set, exactly this one; 0 takes any free one; off serves none. "start" and "api" serve both on PORT.',
  default: 'first free from 8081 on',
  takes: metricsPortTakes,
});

export const serverSettings = {
  host: text('HOST', {
    default: '127.0.0.1',
    doc: 'The address the HTTP server listens on. The default is reachable from this machine only.',
  }),
  port: integer('PORT', {
    min: 0,
    max: 65_535,
    default: 8080,
    doc: 'The port of the HTTP server; 0 takes a free one.',
  }),
  metricsHost: text('METRICS_HOST', {
    default: '127.0.0.1',
    doc: 'Worker and scheduler: the address /health and /metrics are served on. Other than loopback, /metrics needs METRICS_TOKEN.',
  }),
  metricsPort,
  publicUrl: optionalUrl('PUBLIC_URL', ['http', 'https'], {
    unset: 'http://HOST:PORT',
    doc: 'The address under which people reach this installation; links in alerts and messages begin with it.',
  }),
  trustProxy: flag('TRUST_PROXY', {
    default: false,
    doc: 'Take the client address from X-Forwarded-For. Only behind a proxy that sets it.',
  }),
  home: text('MILLRACE_HOME', {
    default: './.millrace',
    doc: 'The folder of this installation: embedded database, blobs on disk, generated secrets.',
  }),
  logLevel: choice('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    doc: 'The least important lines that are written. Stack traces appear at debug only.',
  }),
  logFormat: choice('LOG_FORMAT', ['auto', 'json', 'pretty'], {
    default: 'auto',
    doc: 'json is one object a line; pretty is for people; auto is pretty on a terminal and json elsewhere.',
  }),
  logFilenames: flag('LOG_FILENAMES', {
    default: false,
    doc: 'Write the names of uploaded files to the log. Otherwise they appear as a hash and the extension.',
  }),
  shutdownGraceSeconds: integer('SHUTDOWN_GRACE_SECONDS', {
    min: 1,
    max: 3600,
    default: 30,
    unit: 'seconds',
    doc: 'How long running work may take to reach its next checkpoint after SIGTERM. A second signal stops at once.',
  }),
  drainDelaySeconds: integer('DRAIN_DELAY_SECONDS', {
    min: 0,
    max: 300,
    default: 0,
    unit: 'seconds',
    doc: 'How long /ready answers "no" before the server stops listening, so that a load balancer can react.',
  }),
};

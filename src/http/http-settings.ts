// The settings of the HTTP layer. The role that reads the configuration passes them in.
import { defaultLoginLimits, type LoginLimits } from '../access/login-limits.ts';
import type { LingerLimits } from './uploads/linger.ts';

export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  /** AUTH_ENABLED; false only on loopback. */
  readonly authEnabled: boolean;
  readonly jwtExpiryHours: number;
  readonly loginLimits: LoginLimits;
  /** Take the caller's address from X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy: boolean;
  readonly maxBodyBytes: number;
  /** Rows sent as JSON to where files are uploaded. They are held in memory; larger ones are sent as a file. */
  readonly maxRowsBytes: number;
  /** How long a request without a file may take to arrive. */
  readonly receiveTimeoutMs: number;
  /** How long, and how much of, a body is read that nobody wants any more. */
  readonly unreadBody: LingerLimits;
  /** Bearer token that /metrics asks for; unset: open on loopback, closed elsewhere. */
  readonly metricsToken?: string;
  /** Folder of the built console; unset or missing: a plain page instead. */
  readonly consoleFolder?: string;
  /** False where no person looks: neither the console nor /docs is served, or loaded. */
  readonly pages?: boolean;
}

export const defaultHttpSettings: HttpSettings = {
  host: '127.0.0.1',
  port: 8080,
  version: '0.0.0',
  authEnabled: true,
  jwtExpiryHours: 24,
  loginLimits: defaultLoginLimits,
  trustProxy: false,
  maxBodyBytes: 1024 * 1024,
  maxRowsBytes: 16 * 1024 * 1024,
  receiveTimeoutMs: 30_000,
  // As much as the largest usual file, so that its sender sees why it was refused.
  unreadBody: { lingerMs: 5_000, lingerBytes: 64 * 1024 * 1024 },
};

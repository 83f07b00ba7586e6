// GET /health: the process is alive and answers. It asks nobody else.
import { handle } from '../../call.ts';

export const health = handle('system.health', async ({ app }) => ({
  status: 'ok' as const,
  version: app.settings.version,
  uptime_s: Math.round(process.uptime()),
}));

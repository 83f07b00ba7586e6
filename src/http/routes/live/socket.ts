// GET /v1/live without an upgrade: says what this address is for. The socket itself is opened in register-routes.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../call.ts';

export const liveSocket = handle('live.socket', async ({ reply }) => {
  reply.header('upgrade', 'websocket');
  throw new MillraceError('upgrade_required');
});

// GET /v1/auth/me
import { handle } from '../../call.ts';
import { describePrincipal } from './session-answer.ts';

export const me = handle('auth.me', ({ app, principal }) => describePrincipal(app, principal));

// POST /v1/auth/login
import { login as signIn } from '../../../access/login.ts';
import { handle } from '../../call.ts';
import { answerSession } from './session-answer.ts';

export const login = handle('auth.login', async (call) => {
  const { app, body, origin } = call;
  const options = {
    pool: app.pool,
    secrets: app.secrets,
    limits: app.settings.loginLimits,
    expiryHours: app.settings.jwtExpiryHours,
  };
  const session = await signIn(options, body, origin);
  return answerSession(call, session, body.cookie);
});

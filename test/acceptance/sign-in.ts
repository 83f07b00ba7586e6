// A person who signs in at a started server: commands that go there need a token, and none of them opens the database.
import { type Environment, makeHome, millrace } from './millrace-process.ts';

/** The environment of a command that speaks with the server at `url`, as an admin that is made for it. */
export async function remoteAdmin(url: string, env: Environment): Promise<Environment> {
  const email = 'ada@acme.example';
  const made = await millrace(['users', 'create', email, '--role', 'admin', '--json'], env);
  const { one_time_password: current } = JSON.parse(made.stdout) as { one_time_password: string };
  const post = async (route: string, token: string, body: object) => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${url}${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { token: string };
  };
  const first = await post('/v1/auth/login', '', { email, password: current });
  const { token } = await post('/v1/auth/password', first.token, { current, new: 'a long enough password' });
  return { MILLRACE_HOME: makeHome(), MILLRACE_URL: url, MILLRACE_TOKEN: token };
}

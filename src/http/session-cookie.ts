// The console's session cookie: out of reach of scripts, sent only to us from our own pages.

const NAME = 'millrace_session';

export function readSessionCookie(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME && value) return value;
  }
  return undefined;
}

export function writeSessionCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  const maxAge = Math.max(0, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
  return `${NAME}=${token}; Max-Age=${maxAge}; ${attributes(isSecure)}`;
}

export function clearSessionCookie(isSecure: boolean): string {
  return `${NAME}=; Max-Age=0; ${attributes(isSecure)}`;
}

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

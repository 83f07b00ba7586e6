/** Only a path of this console may follow a sign-in, never another site. */
export function isOwnPath(path: string | undefined): path is string {
  return path !== undefined && /^\/(?![/\\])/.test(path) && !path.startsWith('/login');
}

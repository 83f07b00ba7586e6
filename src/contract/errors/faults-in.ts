// What a schema found wrong, in one line: "rows.0.amount: Invalid input: expected string; …".

interface Found {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** `whole`: what a fault of the value itself is said of. */
export function faultsIn({ issues }: Found, whole: string): string {
  return issues.map(({ path, message }) => `${path.map(String).join('.') || whole}: ${message}`).join('; ');
}

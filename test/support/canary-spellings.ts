// How a text may hide in another one: as it is, in another case, escaped for a URL, a form or JSON, in base64 at any of its three
// alignments, in hex, and cut: half of it is as bad as all of it.

/** The canaries of `wanted` that stand in `said` in any spelling. */
export function findHidden(said: string, wanted: readonly string[]): string[] {
  const plain = said.toLowerCase();
  return wanted.filter(
    (canary) =>
      spellingsOf(canary).some((form) => plain.includes(form.toLowerCase())) ||
      base64Of(canary).some((form) => said.includes(form)),
  );
}

function spellingsOf(text: string): string[] {
  const cut = Math.max(8, Math.ceil(text.length * 0.6));
  const parts = [...new Set([text.slice(0, cut), text.slice(-cut)])];
  return parts.flatMap((part) => [
    part,
    encodeURIComponent(part),
    part.replaceAll(' ', '+'),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString('hex'),
  ]);
}

/** The part of its base64 form that is the same whatever stands around it, for each place in a group of three. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from(`${' '.repeat(before)}${text}`)
      .toString('base64')
      .replace(/=+$/, '');
    const sure = encoded.slice(before === 0 ? 0 : before + 1, -1);
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

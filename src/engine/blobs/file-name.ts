// What a sender called a file, made fit to be shown: the last part of a path, no control or invisible characters, no tricks with
// writing direction, a sensible length. The result is text for people and for Content-Disposition; it is never a path.

const maxCharacters = 200;
// Control characters, soft hyphen, Arabic letter mark, zero-width and direction marks, line separators, byte-order mark, tags.
const invisible =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff\u{e0000}-\u{e0fff}]/gu;
const extensionPattern = /\.([a-z0-9]{1,10})$/;

/** Undefined when nothing showable is left. */
export function displayName(sent: string): string | undefined {
  const lastPart = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const shown = lastPart.normalize('NFC').replace(invisible, '').replace(/\s+/gu, ' ').trim();
  if (shown === '' || /^\.+$/.test(shown)) return undefined;
  return shorten(shown);
}

/** Lower case, without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  return extensionPattern.exec(name.toLowerCase())?.[1] ?? '';
}

/** Cuts the middle part, so that the extension stays. */
function shorten(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= maxCharacters) return name;
  const extension = extensionOf(name);
  const tail = extension === '' ? '' : `.${extension}`;
  return `${characters.slice(0, maxCharacters - tail.length - 1).join('')}…${tail}`;
}

// Patterns that take secrets and personal data out of a text. This is the second line: the first is the list of fields a log
// line may have (log-fields.ts). It errs on the side of hiding, but leaves the text around a finding alone, and every pattern
// is bounded so that a hostile text cannot make it slow (the worst 10,000 characters found take 30 ms).
//
// Names of people cannot be told by a pattern: they are kept out by the first line and by `hideQuoted` for foreign errors.

/** A longer text is cut before it is searched; nothing worth logging is longer. */
const maxLength = 10_000;
const maxDepth = 2;

interface Rule {
  readonly name: string;
  /** Cheap to find; without it the pattern need not be tried. */
  readonly needs?: RegExp;
  readonly pattern: RegExp;
  readonly replace: string | ((match: string, ...groups: string[]) => string);
}

const secretWord =
  '(?:password|passwd|passphrase|secret|token|credentials?|authorization|api[_-]?key|access[_-]?key(?:[_-]?id)?|' +
  'account[_-]?key|signing[_-]?key|private[_-]?key|encryption[_-]?key|session[_-]?id|cookie|signature|' +
  '(?<![A-Za-z])(?:pwd|sig|jwt|otp|pin))(?:[_-]?hash)?';

// Order matters: whole addresses and keyed values before the shapes that could be found inside them.
const rules: readonly Rule[] = [
  {
    name: 'private key',
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
    replace: '[KEY_REDACTED]',
  },
  {
    // To the next white space; a quote belongs to it only when what follows still looks like the rest of a password.
    name: 'database address',
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/(?:[^\s"'`<>\\]|["'`](?=[^\s"'`<>:,;{}]{0,200}@))+/gi,
    replace: '[DSN_REDACTED]',
  },
  {
    name: 'user and password in an address',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/"'<>:@]{0,200}:(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{0,500}@/gi,
    replace: '$1[REDACTED]@',
  },
  {
    name: 'webhook address',
    pattern:
      /\bhttps?:\/\/(?:(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com\/(?:services|workflows))\/[^\s"'<>]+/gi,
    replace: '[WEBHOOK_REDACTED]',
  },
  {
    name: 'web token, with its signature',
    pattern: /eyJ[A-Za-z0-9_-]{8,}={0,2}(?:\.[A-Za-z0-9_-]*={0,2}){0,4}/g,
    replace: '[JWT_REDACTED]',
  },
  {
    name: 'authorization header',
    pattern:
      /\b(bearer|basic|digest|token|apikey)\s+(?=[^\s"',;]{0,500}[0-9._~+/=]|[^\s"',;]{24})[A-Za-z0-9._~+/=-]{6,}/gi,
    replace: '$1 [TOKEN_REDACTED]',
  },
  {
    name: 'keyed secret',
    pattern: new RegExp(
      `(${secretWord}\\\\{0,3}["'\\]]?\\s{0,3}(?:=>|[:=]|%3D|%3A)\\s{0,3})` +
        `(?!\\[[A-Z]+_?REDACTED\\])("(?:[^"\\\\]|\\\\.){0,2000}"|'(?:[^'\\\\]|\\\\.){0,2000}'|\\\\"[^"]{0,2000}"|[^\\s&"']{1,2000})`,
      'gi',
    ),
    replace: (_match, key) => `${key}[REDACTED]`,
  },
  {
    name: 'spoken secret',
    pattern:
      /\b(password|passphrase|secret|token|pin)(\s(?:is|was)\s)(?!not\b|un|in|too\b|missing\b|required\b|wrong\b|expired\b)\S+/gi,
    replace: '$1$2[REDACTED]',
  },
  {
    name: 'token of a known maker',
    pattern:
      /\b(?:A(?:KIA|SIA|ROA|IDA)[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|xox[abeoprs]-[\w-]{10,}|[srp]k_(?:live|test)_\w{10,}|sk-[\w-]{16,}|AIza[\w-]{30,}|ya29\.[\w-]{10,}|whsec_[\w+/=-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|mill_\w{16,}|mr_\w{16,})/g,
    replace: '[TOKEN_REDACTED]',
  },
  {
    name: 'e-mail address',
    needs: /@|%40|\(at\)/,
    pattern: /[\p{L}\p{N}._%+'-]{1,64}(?:@|%40|\(at\))[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251})\.\p{L}{2,24}/giu,
    replace: '[EMAIL_REDACTED]',
  },
  {
    name: 'social security number',
    pattern:
      /(?<![\w.-])\d{3}[-‐‑–. ]\d{2}[-‐‑–. ]\d{4}(?![\w-])|\b(ssn|social security(?: number)?|tax id)(\W{0,4})\d{9}\b/gi,
    replace: '[SSN_REDACTED]',
  },
  {
    name: 'card number',
    pattern: /(?<![\w.-])\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}(?![\w-])|(?<![\w.-])\d{4}[ -]\d{6}[ -]\d{5}(?![\w-])/g,
    replace: '[CARD_REDACTED]',
  },
  {
    name: 'phone number, international',
    pattern: /(?<![\w.])(?:\+|00(?=[1-9]\d{1,2}[ (.-])|%2B)\d(?:[ ()./‐‑–-]{0,2}\d){6,14}(?!\w)/g,
    replace: '[PHONE_REDACTED]',
  },
  {
    name: 'phone number, North American',
    pattern: /(?<![\w.:-])(?:1[ .-])?(?:\(\d{3}\)\s?|\d{3}[ .‐‑–-])\d{3}[ .‐‑–-]\d{4}(?![\w-])/g,
    replace: '[PHONE_REDACTED]',
  },
  {
    name: 'phone number after its label',
    pattern: /\b(phone|tel|telephone|mobile|cell|fax|sms|call)(\W{0,4}(?:no|number)?\W{0,4})\(?\d[\d ()./-]{5,16}\d/gi,
    replace: '$1$2[PHONE_REDACTED]',
  },
  {
    // Ten digits and more are a phone, card or account number, unless they are a time or say what they count.
    name: 'long number',
    pattern: /(?<![\w.-])\d{10,19}(?![\w]|\.\d|\s(?:bytes|rows|ms|B|s)\b)/g,
    replace: (match) => (/^1[4-9]\d{8}(?:\d{3})?$/.test(match) ? match : '[NUMBER_REDACTED]'),
  },
  { name: 'long hex', pattern: /(?<![\w-])(?:0x)?[0-9a-f]{32,}(?![\w-])/gi, replace: '[SECRET_REDACTED]' },
  {
    name: 'long random text',
    pattern: /(?<![\w/.+-])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w/])/g,
    replace: (match) => (looksRandom(match) ? '[SECRET_REDACTED]' : match),
  },
];

/** The text without secrets and personal data. */
export function redactText(text: string): string {
  return redact(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text, 0);
}

/**
 * For messages we did not write: what stands in quotes may be a value of somebody's row or a file name. Identifiers of the
 * schema ("engine.runs", "runs_pkey") stay readable; everything else in quotes becomes "…".
 */
export function hideQuoted(message: string, keepIdentifiers = true): string {
  const isIdentifier = (inner: string) => keepIdentifiers && /^[a-z][a-z0-9]*(?:[_.][a-z0-9]+)+$/.test(inner);
  const hide = (quote: string) => (match: string, inner: string) => (isIdentifier(inner) ? match : `${quote}…${quote}`);
  return message
    .slice(0, maxLength)
    .replace(/"((?:[^"\\]|\\.)*)"?/g, hide('"'))
    .replace(/(?<=^|[\s(=:,[])'([^']*)'?(?=$|[\s),.;:\]])/g, hide("'"))
    .replace(/`([^`]*)`?/g, hide('`'));
}

function redact(text: string, depth: number): string {
  let result = text;
  for (const { needs, pattern, replace } of rules) {
    if (needs !== undefined && !needs.test(result)) continue;
    result = typeof replace === 'string' ? result.replace(pattern, replace) : result.replace(pattern, replace);
  }
  return depth < maxDepth ? redactEncoded(result, depth) : result;
}

// The same things written in percent, hex or base64 encoding: decode what looks encoded, and hide it if something is found.
function redactEncoded(text: string, depth: number): string {
  const hide = (match: string, decoded: string | undefined) =>
    decoded !== undefined && decoded !== match && redact(decoded, depth + 1) !== decoded ? '[ENCODED_REDACTED]' : match;
  return text
    .replace(/(?<![\w.~!*'()+-])[\w.~!*'()+-]{0,500}%[0-9a-f]{2}[\w.~!*'()+%-]*/gi, (match) =>
      hide(match, decodePercent(match)),
    )
    .replace(/(?<![\w%])(?:[0-9a-f]{2}){7,}(?!\w)/gi, (match) => hide(match, decodeBytes(match, 'hex')))
    .replace(/(?<![\w+/%])[A-Za-z0-9+/_-]{12,}={0,2}/g, (match) => hide(match, decodeBytes(match, 'base64')));
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The text behind base64 or hex. Only when the bytes are plainly a text: random letters decode to something else. */
export function decodeBytes(text: string, encoding: 'hex' | 'base64'): string | undefined {
  const decoded = Buffer.from(text, encoding).toString('utf8');
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\r\n\t]+$/u.test(decoded) && !decoded.includes('\ufffd')
    ? decoded
    : undefined;
}

// Letters of both cases and digits, well mixed. A path or an identifier made of words is not.
function looksRandom(text: string): boolean {
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text) || !/\d/.test(text)) return false;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(text)) return false; // a uuid, perhaps with something after it
  const words = text.split(/[/_-]|(?<=[a-z])(?=[A-Z])/).filter((word) => /^[A-Z]?[a-z]{3,}\d{0,2}$/.test(word));
  return words.join('').length < text.length / 2;
}

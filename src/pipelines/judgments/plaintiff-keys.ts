// How a plaintiff is recognised: by email, else by phone. A name alone recognises nobody (two people may share it): such a
// plaintiff is known by name and case, so that the same row always finds it again, and namesakes are proposed for review.
import { hash } from 'node:crypto';

const MIN_PHONE_DIGITS = 7;
const PHONE_DIGITS = 10;
const MAX_EMAIL = 320;
const SEPARATOR = '\u001f';
const HASH_LENGTH = 16;
/** A file names the same plaintiffs over and over; a hash costs as much as all the rest of a row's keys. */
const NAMES_REMEMBERED = 50_000;

export interface PlaintiffKeys {
  /** Null when the row names no plaintiff at all. */
  readonly dedupeKey: string | null;
  /** The phone beside an email. */
  readonly phoneKey: string | null;
  /** Equal for names that differ in case, accents, blanks and punctuation only. */
  readonly nameKey: string | null;
}

export interface PlaintiffRow {
  readonly caseNumber: string;
  readonly county: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export function plaintiffKeys(row: PlaintiffRow): PlaintiffKeys {
  const email = row.email === null ? null : emailKey(row.email);
  const phone = row.phone === null ? null : phoneKey(row.phone);
  const nameKey = row.name === null ? null : nameKeyOf(row.name);
  if (email !== null) return { dedupeKey: email, phoneKey: phone, nameKey };
  if (phone !== null) return { dedupeKey: phone, phoneKey: null, nameKey };
  if (row.name === null) return { dedupeKey: null, phoneKey: null, nameKey: null };
  const ofCase = shortHash(`${row.county ?? ''}${SEPARATOR}${row.caseNumber}`);
  // A name of signs only is no name to compare: its plaintiff is the one of this case and nobody else.
  return { dedupeKey: nameKey === null ? `case:${ofCase}` : `name:${nameKey}:${ofCase}`, phoneKey: null, nameKey };
}

export function emailKey(email: string): string | null {
  const plain = (isPlainAscii(email) ? email : email.normalize('NFKC')).trim().toLowerCase();
  return plain.length <= MAX_EMAIL && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(plain) ? `email:${plain}` : null;
}

/** The last ten digits; "n/a" and extensions recognise nobody. */
export function phoneKey(phone: string): string | null {
  const plain = isPlainAscii(phone) ? phone : phone.normalize('NFKC');
  const digits = isDigitsOnly(plain) ? plain : plain.replace(/\D/g, '');
  return digits.length < MIN_PHONE_DIGITS ? null : `phone:${digits.slice(-PHONE_DIGITS)}`;
}

const nameKeys = new Map<string, string | null>();

/** Letters and digits of any script, without accents and case; null when there are none. */
export function nameKeyOf(name: string): string | null {
  const known = nameKeys.get(name);
  if (known !== undefined) return known;
  const plain = isPlainAscii(name)
    ? name.toLowerCase().replace(/[^a-z0-9]/g, '')
    : name
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase();
  const key = plain === '' ? null : shortHash(plain);
  if (nameKeys.size >= NAMES_REMEMBERED) nameKeys.clear();
  nameKeys.set(name, key);
  return key;
}

function isPlainAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

function isDigitsOnly(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, HASH_LENGTH);
}

import { describe, expect, it } from 'vitest';
import { canaryPerson } from '../../../test/support/canary-people.ts';
import { batchIdOf, defaultBatchId } from './batch-id.ts';
import { canonicalCaseNumber, countyKey } from './case-row.ts';
import { parsePolicies } from './column-policy.ts';
import { nameKeyOf, type PlaintiffRow, phoneKey, plaintiffKeys } from './plaintiff-keys.ts';

const row = (given: Partial<PlaintiffRow>): PlaintiffRow => ({
  caseNumber: 'CV-1',
  county: 'Kings',
  name: null,
  email: null,
  phone: null,
  ...given,
});
const keyOf = (given: Partial<PlaintiffRow>) => plaintiffKeys(row(given)).dedupeKey;

describe('a plaintiff', () => {
  it('is kept out of what is said: the name key is a digest, and a batch id that names one is refused without naming it', () => {
    const person = canaryPerson();
    expect(nameKeyOf(person.name)).not.toContain('canary');
    expect(() => batchIdOf(person.name, 'v', 'f.csv')).toThrow(/^(?!.*Canary)/);
  });

  it('is known by email, then by the last ten digits of the phone', () => {
    expect(keyOf({ name: 'A', email: ' A@Example.TEST ', phone: '555 867 5309' })).toBe('email:a@example.test');
    expect(keyOf({ name: 'A', email: 'none', phone: '+1 (212) 555-0100' })).toBe('phone:2125550100');
  });

  it('is not known by "n/a", a short number or an empty name', () => {
    expect(phoneKey('n/a')).toBeNull();
    expect(phoneKey('12345')).toBeNull();
    expect(keyOf({ phone: 'n/a' })).toBeNull();
    expect(keyOf({ name: '***' })).toMatch(/^case:/);
  });

  it('with a name alone is known by name and case: the same row finds it again, a namesake does not', () => {
    expect(keyOf({ name: 'John Smith' })).toBe(keyOf({ name: ' JOHN  SMITH. ' }));
    expect(keyOf({ name: 'John Smith' })).not.toBe(keyOf({ name: 'John Smith', caseNumber: 'CV-2' }));
    expect(keyOf({ name: 'John Smith' })).not.toBe(keyOf({ name: 'John Smith', county: 'Queens' }));
  });

  it('has a name key in any script, whatever accents and letter case', () => {
    expect(nameKeyOf('José Núñez')).toBe(nameKeyOf('JOSE\u0301 NUNEZ'));
    expect(nameKeyOf('王小明')).not.toBe(nameKeyOf('李小龙'));
    expect(nameKeyOf('شركة')).not.toBeNull();
    expect(nameKeyOf('!!!')).toBeNull();
  });
});

describe('a case', () => {
  it('has one number, whatever letter case, blanks, dashes and invisible signs', () => {
    expect(canonicalCaseNumber('  cv\u20112024\u200b  17 ')).toBe('CV-2024 17');
  });

  it('has one county under its usual spellings', () => {
    for (const spellings of [
      ['KINGS', 'kings county', 'Kings', ' Kings  County ', 'Kings Co.'],
      ['DeKalb', 'De Kalb', 'DEKALB COUNTY', 'De-Kalb'],
      ["Prince George's", 'PRINCE GEORGES', 'Prince George’s'],
      ['St. Clair', 'ST CLAIR', 'St.Clair'],
      ['Doña Ana', 'DOÑA ANA'],
    ])
      expect(new Set(spellings.map(countyKey)).size, spellings.join(', ')).toBe(1);
    expect(countyKey('County')).toBe('county');
    expect(new Set(['Kings', 'King', 'Queens', '京都', '大阪'].map(countyKey)).size).toBe(5);
    expect(countyKey(' -- ')).toBeNull();
  });
});

describe('a batch id', () => {
  it('is made from vendor and file name when none is given', () => {
    expect(defaultBatchId('simplicity', '2026-01-07.csv')).toBe('simplicity-2026-01-07.csv');
    expect(defaultBatchId('simplicity', 'Simplicity 07 Jan.csv')).toBe('Simplicity-07-Jan.csv');
  });

  it('is refused when it looks like a revision or holds more than plain characters', () => {
    expect(() => batchIdOf('june#r2', 'v', 'f.csv')).toThrow('mark revisions');
    expect(() => batchIdOf('june batch', 'v', 'f.csv')).toThrow('blanks or signs');
  });
});

describe('a column policy', () => {
  it('names a column and one of the three words', () => {
    expect(parsePolicies('judgment_amount=overwrite, filing_date=clear')).toEqual({
      judgment_amount: 'overwrite',
      filing_date: 'clear',
    });
    expect(() => parsePolicies('county=clear')).toThrow('"county" is not one of');
    expect(() => parsePolicies('filing_date=drop')).toThrow('"drop" is not one of');
  });
});

// Batches of court judgments and what must become of them, computed from the same random numbers and by nothing of the product.
import type { Random } from './random.ts';

/** A case as it must be stored. */
export interface ExpectedCase {
  readonly amount: string;
  readonly defendant: string;
  /** Who it is that sued, by the key a row gives away. */
  readonly person: string;
  /** As the first line that named it wrote it. */
  readonly county: string;
  /** 1, and one more for each batch that had news of it. */
  readonly version: number;
}

export interface ExpectedBatch {
  readonly text: string;
  readonly read: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** By index of the data row: how a row that was stored ended. */
  readonly rows: ReadonlyMap<number, 'inserted' | 'updated' | 'unchanged'>;
  /** Refused rows by the code they are refused with. */
  readonly rejects: Readonly<Record<string, number>>;
}

const header = 'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email,Phone,Address';
const counties = [
  ['Kings', 'KINGS COUNTY', 'kings'],
  ['De Kalb', 'DeKalb', 'DEKALB COUNTY'],
] as const;
/** Long enough that a batch of some hundred rows is read in many pieces. */
const address = `${'Long Street '.repeat(12)}1`;
const PEOPLE = 40;

/** What one tenant has stored, and the batches that made it so. Two tenants know nothing of each other. */
export class ReferenceTenant {
  readonly cases = new Map<string, ExpectedCase>();
  readonly people = new Set<string>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * A batch over the cases `prefix`-0 … `prefix`-(count - 1). Cases of two prefixes share their people and nothing else, so two batches
   * may be at work at once. A second batch over the same cases is a revision: some amounts are others, some cases are new, some are left out.
   */
  batch(prefix: string, count: number): ExpectedBatch {
    const random = this.#random;
    const lines: string[] = [];
    const rows = new Map<number, 'inserted' | 'updated' | 'unchanged'>();
    const rejects: Record<string, number> = {};
    let superseded = 0;
    for (let number = 0; number < count; number++) {
      if (random.chance(1 / 30)) continue;
      const spellings = counties[number % 2] as (typeof counties)[number];
      const name = `${prefix}-${number}`;
      const known = this.cases.get(name);
      const amount =
        known !== undefined && random.chance(0.7)
          ? known.amount
          : `${random.between(1, 90_000)}.${random.between(1, 9)}`;
      const person = number % PEOPLE;
      const line = (money: string) =>
        `${name},Person ${person},"Dan, ${name}",${money},2024-01-${String((number % 28) + 1).padStart(2, '0')},` +
        `${random.pick(spellings)},${contact(person)},${address}`;
      if (random.chance(1 / 40)) {
        lines.push(line('-1'));
        rejects.number_negative = (rejects.number_negative ?? 0) + 1;
        continue;
      }
      const first = line(amount);
      rows.set(lines.length, known === undefined ? 'inserted' : known.amount === amount ? 'unchanged' : 'updated');
      lines.push(first);
      this.#store(name, amount, person, known, first);
      if (random.chance(1 / 50)) {
        lines.push(line(amount));
        superseded++;
      } else if (random.chance(1 / 60)) {
        lines.push(line(`${amount}5`));
        rejects.case_repeated = (rejects.case_repeated ?? 0) + 1;
      }
    }
    const refused = Object.values(rejects).reduce((sum, many) => sum + many, 0);
    const stored = (outcome: string) => [...rows.values()].filter((each) => each === outcome).length;
    const all = {
      inserted: stored('inserted'),
      updated: stored('updated'),
      unchanged: stored('unchanged'),
      superseded,
      rejected: refused,
    };
    return {
      text: `${[header, ...lines].join('\n')}\n`,
      read: lines.length,
      outcomes: Object.fromEntries(Object.entries(all).filter(([, many]) => many > 0)),
      rows,
      rejects,
    };
  }

  #store(name: string, amount: string, person: number, known: ExpectedCase | undefined, line: string): void {
    const county = countyIn(line);
    this.people.add(personKey(person));
    const isNews = known === undefined || known.amount !== amount;
    this.cases.set(name, {
      amount,
      defendant: `Dan, ${name}`,
      person: personKey(person),
      county: known?.county ?? county,
      version: (known?.version ?? 0) + (isNews ? 1 : 0),
    });
  }
}

function countyIn(line: string): string {
  return counties.flat().find((county) => line.includes(`,${county},`)) ?? '';
}

/** Half of the people are known by email, the others by phone: the columns Email and Phone. */
function contact(person: number): string {
  return person % 2 === 0 ? `person${person}@example.test,` : `,212-555-${String(1_000 + person)}`;
}

/** As the product names the key; a person of a file says the same in every row. */
function personKey(person: number): string {
  return person % 2 === 0 ? `email:person${person}@example.test` : `phone:212555${1_000 + person}`;
}

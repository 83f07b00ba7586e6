// Clean tables of many kinds, made from a seed: what a person would have typed before a program turned it into a messy export. Domains,
// languages, widths and lengths differ; nothing in here knows how the readers work.
import type { Random } from '../../chaos/random.ts';

export interface CleanTable {
  readonly names: string[];
  readonly rows: string[][];
  /** Columns that hold numbers only. */
  readonly numeric: readonly number[];
}

type Make = (random: Random, row: number) => string;

interface Column {
  readonly name: string;
  readonly make: Make;
  readonly isNumeric?: boolean;
}

const words = (text: string) => text.split('|');
const cities = words(
  'Rome|Oslo|Lima|Kyoto|Porto|Ghent|Bergen|Nairobi|Quito|Perth|Leeds|Malmö|Graz|Lyon|Tartu|Split|Haifa|Busan|Recife|Austin|New York|San José|Rio de Janeiro|Aix-en-Provence|Bad Homburg|Stratford-upon-Avon',
);
const countries = words(
  'Italy|Norway|Peru|Japan|Portugal|Belgium|Kenya|Ecuador|Australia|Sweden|Austria|France|Estonia|Croatia|Israel|Brazil',
);
const givenNames = words(
  'Anna|Björn|Carla|Dmitri|Élodie|Farid|Grace|Hiro|Ines|João|Kofi|Lena|Mario|Nadia|Owen|Priya|Quentin|Rosa|Seán|Tomás',
);
const familyNames = words(
  "Alvarez|Berg|Costa|Dubois|Eriksen|Fischer|García|Haas|Ivanov|Jansen|Kim|López|Müller|Nakamura|O'Brien|Petrov|Quinn|Rossi|Silva|D'Angelo",
);
const nouns = words(
  'lamp|desk|chair|kettle|router|cable|notebook|bicycle|helmet|printer|camera|tent|boots|jacket|mug|drill|ladder|sofa|mirror|clock',
);
const adjectives = words(
  'small|large|red|blue|folding|wooden|steel|wireless|light|heavy|used|new|compact|classic|outdoor|silent',
);
const streets = words(
  'Main St|High Street|Via Roma|Rue de la Paix|Hauptstraße|Calle Mayor|Elm Avenue|Station Road|Kirchgasse|2nd Ave',
);
const species = words(
  'Parus major|Quercus robur|Salmo trutta|Apis mellifera|Vulpes vulpes|Rana temporaria|Bellis perennis|Lutra lutra',
);
const parties = words('Green|Labour|Liberal|National|Unity|Farmers|Reform|Civic');
const departments = words(
  'Health|Transport|Education|Public Works|Parks & Recreation|Finance|Housing, Planning|Culture',
);
const statuses = words('open|closed|pending|on hold|cancelled|in review');
const levels = words('low|medium|high');

const pick =
  (from: readonly string[]): Make =>
  (random) =>
    random.pick(from);
const int =
  (low: number, high: number): Make =>
  (random) =>
    String(random.between(low, high));
const decimal =
  (low: number, high: number, digits: number): Make =>
  (random) =>
    (low + random.next() * (high - low)).toFixed(digits);
const serial =
  (start: number): Make =>
  (_, row) =>
    String(start + row);
const code =
  (pattern: string): Make =>
  (random) =>
    pattern.replace(/[A9]/g, (sign) =>
      sign === 'A' ? String.fromCharCode(65 + random.between(0, 25)) : String(random.between(0, 9)),
    );
const isoDay = (random: Random) => {
  const day = new Date(Date.UTC(2015 + random.between(0, 8), random.between(0, 11), 1 + random.between(0, 27)));
  return day.toISOString().slice(0, 10);
};
const slashDay = (random: Random) => {
  const [year, month, day] = isoDay(random).split('-');
  return `${day}/${month}/${year}`;
};
const time: Make = (random) =>
  `${String(random.between(0, 23)).padStart(2, '0')}:${String(random.between(0, 59)).padStart(2, '0')}`;
const person: Make = (random) => `${random.pick(givenNames)} ${random.pick(familyNames)}`;
const sentence: Make = (random) => {
  const length = 3 + random.between(0, 11);
  const text = Array.from({ length }, (_, i) =>
    i % 4 === 3 ? random.pick(nouns) : random.pick([...adjectives, 'the', 'a', 'with', 'and', 'for']),
  ).join(' ');
  return random.between(0, 3) === 0 ? `${text}, ${random.pick(nouns)}` : text;
};
const product: Make = (random) => `${random.pick(adjectives)} ${random.pick(nouns)}`;
const url: Make = (random) =>
  `https://shop.example/${random.pick(nouns)}/${random.between(0, 8999)}?ref=${random.pick(levels)}`;
const mail: Make = (random) => `${random.pick(nouns)}.${random.between(0, 98)}@mail.example`;
const money: Make = (random) => `$${(random.next() * 900).toFixed(2)}`;
const percent: Make = (random) => `${(random.next() * 100).toFixed(1)}%`;
const yesNo = pick(['yes', 'no']);
const sparse =
  (make: Make, share: number): Make =>
  (random, row) =>
    random.next() < share ? '' : make(random, row);

const text = (name: string, make: Make): Column => ({ name, make });
const number = (name: string, make: Make): Column => ({ name, make, isNumeric: true });

/** Each domain is a list of columns; a table takes most of them, always the first two. */
const domains: readonly (readonly Column[])[] = [
  [
    text('DATE', slashDay),
    text('TIME', time),
    number('Qty', int(1, 60)),
    text('PRODUCTID', code('A999999')),
    number('Price', decimal(1, 900, 2)),
    text('ProductType', pick(nouns)),
    text('ProductDescription', sentence),
    text('URL', url),
    text('Comments', sparse(sentence, 0.5)),
  ],
  [
    text('case_number', code('99-AA-9999')),
    text('plaintiff', person),
    text('defendant', person),
    text('filed', isoDay),
    number('amount', decimal(100, 90000, 2)),
    text('county', pick(cities)),
    text('status', pick(statuses)),
  ],
  [
    text('station', code('AAA9')),
    text('observed_at', isoDay),
    number('temp_c', decimal(-20, 38, 1)),
    number('rain_mm', decimal(0, 60, 1)),
    number('wind', int(0, 30)),
    text('sky', pick(['clear', 'cloudy', 'rain', 'fog'])),
  ],
  [
    text('Region', pick(cities)),
    number('Population', int(800, 900000)),
    number('Households', int(300, 400000)),
    number('Median age', decimal(28, 52, 1)),
    number('Area km2', decimal(2, 900, 2)),
    text('Class', pick(['urban', 'rural', 'mixed'])),
  ],
  [
    text('School', pick(cities)),
    text('District', pick(departments)),
    number('Pupils', int(40, 1800)),
    number('Teachers', int(4, 140)),
    text('Pass rate', percent),
    text('Head', person),
  ],
  [
    text('Constituency', pick(cities)),
    text('Candidate', person),
    text('Party', pick(parties)),
    number('Votes', int(10, 40000)),
    text('Share', percent),
    text('Elected', yesNo),
  ],
  [
    number('id', serial(1001)),
    text('first_name', pick(givenNames)),
    text('last_name', pick(familyNames)),
    text('email', mail),
    text('city', pick(cities)),
    text('signed_up', isoDay),
    number('orders', int(0, 40)),
  ],
  [
    text('Department', pick(departments)),
    text('Account', code('9999-99')),
    text('Description', sentence),
    number('Budget', int(1000, 900000)),
    number('Actual', int(1000, 900000)),
    number('Variance', int(-40000, 40000)),
  ],
  [
    text('Sample', code('A-99')),
    text('Species', pick(species)),
    number('Length mm', decimal(3, 900, 2)),
    number('Weight g', decimal(1, 4000, 1)),
    text('Sex', pick(['m', 'f'])),
    text('Site', pick(cities)),
    text('Remarks', sparse(sentence, 0.7)),
  ],
  [
    text('SKU', code('AA-9999')),
    text('Name', product),
    number('Stock', int(0, 900)),
    text('Price', money),
    text('Warehouse', pick(cities)),
    text('Last counted', isoDay),
  ],
  [text('City', pick(cities)), text('Mayor', person), text('Party', pick(parties)), text('Address', pick(streets))],
  [
    text('Airport', pick(cities)),
    text('Country', pick(countries)),
    text('IATA', code('AAA')),
    number('Runways', int(1, 6)),
    number('Passengers', int(1000, 90000000)),
  ],
  [
    text('Name', product),
    text('Category', pick(nouns)),
    text('Colour', pick(['red', 'blue', 'green', 'black'])),
    text('Supplier', person),
  ],
  [
    text('timestamp', (random) => `${isoDay(random)} ${time(random, 0)}:00`),
    text('host', code('srv-99')),
    text('level', pick(['INFO', 'WARN', 'ERROR'])),
    number('ms', int(1, 9000)),
    text('message', sentence),
  ],
  [
    text('Straße', pick(streets)),
    text('Ort', pick(cities)),
    text('PLZ', code('99999')),
    text('Eigentümer', person),
    number('Fläche', int(30, 400)),
    text('Bemerkung', sparse(sentence, 0.5)),
  ],
  [
    text('Commune', pick(cities)),
    text('Département', pick(departments)),
    number('Année', int(2001, 2023)),
    number('Naissances', int(0, 900)),
    number('Décès', int(0, 900)),
  ],
  [
    text('Respondent', code('R9999')),
    text('Age group', pick(['18-24', '25-34', '35-44', '45+'])),
    text('Satisfied', pick(levels)),
    text('Would recommend', yesNo),
    text('Comment', sparse(sentence, 0.4)),
  ],
  [
    text('Country', pick(countries)),
    number('Gold', int(0, 40)),
    number('Silver', int(0, 40)),
    number('Bronze', int(0, 40)),
    number('Total', int(0, 120)),
  ],
  [
    text('Ticket', code('INC99999')),
    text('Opened', isoDay),
    text('Owner', person),
    text('Priority', pick(levels)),
    text('State', pick(statuses)),
    text('Summary', sentence),
  ],
  [
    number('x', decimal(-5, 5, 4)),
    number('y', decimal(-5, 5, 4)),
    number('z', decimal(-5, 5, 4)),
    number('label', int(0, 9)),
  ],
];

export function makeTable(
  random: Random,
  size: { readonly min: number; readonly max: number },
  only?: 'text',
): CleanTable {
  const usable = domains.filter(
    (columns) => only === undefined || columns.filter((column) => !column.isNumeric).length >= 3,
  );
  const domain = usable[random.between(0, usable.length - 1)] as readonly Column[];
  const kept = domain.filter((column, index) =>
    only === undefined ? index < 2 || random.next() < 0.85 : !column.isNumeric,
  );
  const columns = kept.length < 2 ? domain : kept;
  const rows = size.min + Math.floor((size.max - size.min) * random.next() ** 2);
  return {
    names: columns.map(({ name }) => name),
    rows: Array.from({ length: rows }, (_, row) => columns.map(({ make }) => make(random, row))),
    numeric: columns.flatMap((column, index) => (column.isNumeric === true ? [index] : [])),
  };
}

export function makeText(random: Random, kind: 'sentence' | 'person' | 'city' | 'department'): string {
  if (kind === 'person') return person(random, 0);
  if (kind === 'city') return random.pick(cities);
  return kind === 'department' ? random.pick(departments) : sentence(random, 0);
}

// The fields of a judgments file and the names vendors give their columns. Data only: another vendor's name is one more line here,
// or a saved mapping of the tenant.
import { FieldCatalogue, type FieldDefinition, type MappingPreset } from '../../tabular/mapping/fields.ts';

const definitions: readonly FieldDefinition[] = [
  {
    name: 'case_number',
    title: 'Case number',
    kind: 'id',
    synonyms: [
      'Case No',
      'Case No.',
      'Case #',
      'Case',
      'Case ID',
      'Docket number',
      'Docket No',
      'Docket',
      'Index number',
    ],
  },
  {
    name: 'county',
    title: 'County',
    kind: 'text',
    synonyms: ['County name', 'Court county', 'Venue', 'Jurisdiction'],
  },
  {
    name: 'plaintiff_name',
    title: 'Plaintiff',
    kind: 'text',
    synonyms: ['Plaintiff name', 'Creditor', 'Creditor name', 'Judgment creditor', 'Plaintiff(s)'],
  },
  {
    name: 'defendant_name',
    title: 'Defendant',
    kind: 'text',
    synonyms: ['Defendant name', 'Debtor', 'Debtor name', 'Judgment debtor', 'Defendant(s)'],
  },
  {
    name: 'judgment_amount',
    title: 'Judgment amount',
    kind: 'money',
    synonyms: ['Amount', 'Amount awarded', 'Judgment', 'Judgement amount', 'Total judgment', 'Award'],
  },
  {
    name: 'filing_date',
    title: 'Filing date',
    kind: 'date',
    synonyms: ['Date filed', 'Filed', 'File date', 'Filed date', 'Filed on', 'Judgment date'],
  },
  {
    name: 'email',
    title: 'Email',
    kind: 'text',
    synonyms: ['E-mail', 'Email address', 'Plaintiff email', 'Contact email'],
  },
  {
    name: 'phone',
    title: 'Phone',
    kind: 'text',
    synonyms: ['Phone number', 'Telephone', 'Plaintiff phone', 'Contact phone', 'Mobile'],
  },
  {
    name: 'address',
    title: 'Address',
    kind: 'text',
    synonyms: ['Plaintiff address', 'Street address', 'Mailing address'],
  },
];

export const judgmentFields = new FieldCatalogue(definitions);

const simplicity: MappingPreset = {
  name: 'simplicity',
  title: 'Simplicity',
  columns: {
    'Case Number': 'case_number',
    Plaintiff: 'plaintiff_name',
    Defendant: 'defendant_name',
    'Judgment Amount': 'judgment_amount',
    'Filing Date': 'filing_date',
    County: 'county',
    Email: 'email',
    Phone: 'phone',
    Address: 'address',
    Status: null,
    Court: null,
  },
};

export const judgmentPresets: readonly MappingPreset[] = [simplicity];

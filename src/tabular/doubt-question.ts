// Turns doubts into a question to a person, a failure, or a count on the receipt. It asks only about doubts that hold the run: those where rows
// would be lost or a required meaning would be guessed. Knows no pipeline.
import { isDeepStrictEqual } from 'node:util';
import type { NotedDoubt } from '../contract/doubts.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { StageOutcome } from '../engine/pipeline.ts';
import type { Answer, Choice, Question } from '../engine/question.ts';
import { storableText } from '../platform/storable-text.ts';
import type { Reading, ReadingDoubt, ReadingOverrides } from './reading.ts';

/** What the sender wants of a file with doubts that hold. */
export const onDoubtChoices = ['ask', 'proceed', 'fail'] as const;
export type OnDoubt = (typeof onDoubtChoices)[number];

const READING_DOUBTFUL = 'reading_doubtful';
const AS_DECIDED = 'as_decided';
const REFUSE = 'refuse';
/** A receipt is read often: it takes so many doubts in words, each so long. The rest is counted. */
const MAX_NOTED = 20;
const MAX_MESSAGE = 500;

/** The data of a choice that reads the file in another way. */
interface OtherWay {
  readonly code: string;
  readonly overrides: ReadingOverrides;
}

/** What people said so far about how a file is to be read. */
export interface SaidOfDoubts {
  readonly isRefused: boolean;
  /** Laid over what the file shows. */
  readonly overrides: ReadingOverrides;
  /** Doubts that need not be asked again: as they were told, or all of a code where another reading was chosen because of it. */
  readonly settled: ReadonlySet<string>;
}

export function saidOfDoubts(answers: readonly Answer[]): SaidOfDoubts {
  const settled = new Set<string>();
  let overrides: ReadingOverrides = {};
  for (const { choice, data, details } of answers) {
    if (choice === AS_DECIDED) for (const doubt of doubtsIn(details)) settled.add(toldAs(doubt));
    if (data === null) continue;
    const other = data as OtherWay;
    settled.add(other.code);
    overrides = { ...overrides, ...other.overrides };
  }
  return { isRefused: answers.some(({ choice }) => choice === REFUSE), overrides, settled };
}

/** Rows that come back corrected are read as their original was; there is nothing left to ask. */
export function onDoubtOf(input: {
  readonly on_doubt?: OnDoubt | undefined;
  readonly replay_of?: string | undefined;
  readonly corrects?: string | undefined;
}): OnDoubt {
  return input.replay_of === undefined && input.corrects === undefined ? (input.on_doubt ?? 'ask') : 'proceed';
}

/** The names of the columns are known: then header and delimiter were found rightly, whatever spoke against them. */
export function withoutDisproved(doubts: readonly ReadingDoubt[]): ReadingDoubt[] {
  return doubts.filter(({ code }) => !['header_doubtful', 'no_header', 'delimiter_doubtful'].includes(code));
}

/** Of what the sample shows. */
export function unsettled(doubts: readonly ReadingDoubt[], said: SaidOfDoubts): ReadingDoubt[] {
  return unsettledLate(doubts, said).filter(({ code }) => !said.settled.has(code));
}

/** Of what stands behind the sample: those are other lines than somebody was asked about before the first row, though the code may be the same. */
export function unsettledLate(doubts: readonly ReadingDoubt[], { settled }: SaidOfDoubts): ReadingDoubt[] {
  return doubts.filter((doubt) => !settled.has(toldAs(doubt)));
}

/** As the question was stored. */
function toldAs({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code}: ${storableText(message)}`;
}

/** Whether the reading was decided with these answers. */
export function isReadSo({ answered = {} }: Reading, { overrides }: SaidOfDoubts): boolean {
  return isDeepStrictEqual(answered, overrides);
}

/** The reading with the answers it was decided with. */
export function withAnswers(reading: Reading, { overrides }: SaidOfDoubts): Reading {
  return Object.keys(overrides).length === 0 ? reading : { ...reading, answered: overrides };
}

/** What a receipt says of doubts: how many there are of each code, and the first ones in words. */
export interface DoubtsOnReceipt {
  readonly doubts?: Readonly<Record<string, number>>;
  readonly in_doubt?: readonly NotedDoubt[];
}

/** Empty without doubts. */
export function noteDoubts(doubts: readonly ReadingDoubt[]): DoubtsOnReceipt {
  if (doubts.length === 0) return {};
  const counts: Record<string, number> = {};
  for (const { code } of doubts) counts[code] = (counts[code] ?? 0) + 1;
  const told = doubts.slice(0, MAX_NOTED).map(({ code, message, rowsAtStake, lines }) => ({
    code,
    message: toldShort(message),
    rows_at_stake: rowsAtStake,
    lines,
  }));
  return { doubts: counts, in_doubt: told };
}

function toldShort(message: string): string {
  return message.length > MAX_MESSAGE ? `${storableText(message.slice(0, MAX_MESSAGE))}…` : message;
}

/** `canReadOtherwise`: nothing has been read yet, so that another reading costs nothing. */
function questionAbout(doubts: readonly ReadingDoubt[], canReadOtherwise: boolean): Question {
  const others = canReadOtherwise ? doubts.flatMap(otherWays) : [];
  const choices: Choice[] = [
    { choice: AS_DECIDED, label: doubts.length === 1 ? firstLabel(doubts) : 'Read on as decided' },
    ...others.map((other, index) => ({ choice: `other_${index + 1}`, ...other })),
    { choice: REFUSE, label: 'Refuse the file', refuses: true },
  ];
  return {
    code: READING_DOUBTFUL,
    text: doubts.map(({ message }) => message).join(' '),
    details: {
      doubts: doubts.map(({ code, message, evidence, rowsAtStake, lines }) => ({
        code,
        message,
        evidence,
        rows_at_stake: rowsAtStake,
        lines,
      })),
    },
    choices,
  };
}

function firstLabel([doubt]: readonly ReadingDoubt[]): string {
  return doubt?.answers[0]?.label ?? 'Read on as decided';
}

function otherWays({ code, answers }: ReadingDoubt): { readonly label: string; readonly data: OtherWay }[] {
  return answers.slice(1).map(({ label, overrides }) => ({ label, data: { code, overrides } }));
}

function doubtsIn(details: unknown): readonly { readonly code: string; readonly message: string }[] {
  return (details as { doubts?: readonly { code: string; message: string }[] } | null)?.doubts ?? [];
}

/** How a stage ends because of doubts that hold; null when it goes on. */
export function stopForDoubts(
  doubts: readonly ReadingDoubt[],
  onDoubt: OnDoubt,
  canReadOtherwise: boolean,
): StageOutcome | null {
  const holding = doubts.filter(({ holds }) => holds === true);
  if (holding.length === 0 || onDoubt === 'proceed') return null;
  const question = questionAbout(holding, canReadOtherwise);
  return onDoubt === 'fail' ? refusal(question.text) : { on: 'ask', ask: question };
}

/** The end of a run whose file was refused, told to a stage. */
export function refusal(doubts = 'somebody refused it.'): StageOutcome {
  const error = new MillraceError(READING_DOUBTFUL, { doubts });
  return { on: 'fail', error: { code: error.code, text: error.message } };
}

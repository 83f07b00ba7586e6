// The logger. Every line passes the list of allowed fields and then the redaction patterns, whichever part of the program
// or library wrote it; child loggers cannot avoid this either.
import pino from 'pino';
import { allowedFields, type FieldOptions } from './log-fields.ts';
import { pinoPretty } from './log-pretty.ts';
import { redactText } from './redaction.ts';

/** What code that logs asks for. The message is a constant sentence or event name; everything that varies is a field. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LogOptions {
  readonly level: pino.LevelWithSilent;
  readonly format: 'auto' | 'json' | 'pretty';
  readonly logFilenames: boolean;
  /** 1 or 2; commands whose output is for machines log to 2. */
  readonly fd?: number;
  /** Instead of `fd`: where lines go, for tests. */
  readonly destination?: pino.DestinationStream;
}

/** The logger of a process: also what fastify takes as its `loggerInstance`. */
export type Logger = pino.Logger;

/** For tools and tests that want silence. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function createLog(options: LogOptions): Logger {
  const fieldOptions: FieldOptions = {
    logFilenames: options.logFilenames,
    stacks: options.level === 'debug' || options.level === 'trace',
  };
  const asIs = (value: unknown) => value;
  const log = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
      },
      // Fields are already in the shape they are written in.
      serializers: { err: asIs, req: asIs, res: asIs },
      hooks: {
        logMethod(args, method) {
          method.apply(this, cleanArguments(args, fieldOptions) as Parameters<typeof method>);
        },
      },
    },
    options.destination ?? openDestination(options),
  );
  // A child gets its fields outside of the hook above. Children inherit this method from their parent.
  const makeChild = log.child;
  log.child = function child(this: Logger, bindings: pino.Bindings, childOptions?: object) {
    return makeChild.call(this, allowedFields(bindings, fieldOptions), childOptions);
  } as typeof log.child;
  return log;
}

// pino takes (fields, message, ...values), (error, message) and (message, ...values). Values that would be put into the
// message are dropped: what varies belongs into fields.
function cleanArguments(args: readonly unknown[], options: FieldOptions): [object, string] | [string] {
  const [first, second] = args;
  if (typeof first === 'string') return [redactText(first)];
  const fields = first instanceof Error ? { err: first } : typeof first === 'object' && first !== null ? first : {};
  const message = typeof second === 'string' ? redactText(second) : '';
  return [allowedFields(fields, options), message];
}

function openDestination({ format, fd = 1 }: LogOptions): pino.DestinationStream {
  const isTerminal = fd === 2 ? process.stderr.isTTY : process.stdout.isTTY;
  if (format === 'pretty' || (format === 'auto' && isTerminal)) return pinoPretty(fd);
  // Written at once: the last lines before a crash are the ones that matter.
  return pino.destination({ fd, sync: true });
}

// Log lines for people: time, level, sentence, then the fields on the same line.
import pretty from 'pino-pretty';

export function pinoPretty(fd: number): ReturnType<typeof pretty.build> {
  return pretty.build({
    destination: fd,
    sync: true,
    colorize: fd === 2 ? process.stderr.isTTY : process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
}

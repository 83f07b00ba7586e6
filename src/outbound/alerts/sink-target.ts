// Seals the addresses and keys of sinks in the database. The seal is bound to its sink: moved to another row, it does not open.
import type { SinkTarget } from './notice.ts';

/** The installation's box for secrets in the database. */
export interface SinkBox {
  seal(owner: string, text: string): Buffer;
  /** Undefined when it was sealed with another key, for another owner, or altered. */
  open(owner: string, sealed: Buffer): string | undefined;
}

export function sealTarget(box: SinkBox, sinkId: string, target: SinkTarget): Buffer {
  return box.seal(ownerOf(sinkId), JSON.stringify(target));
}

export function openTarget(box: SinkBox, sinkId: string, sealed: Buffer): SinkTarget | undefined {
  const text = box.open(ownerOf(sinkId), sealed);
  return text === undefined ? undefined : (JSON.parse(text) as SinkTarget);
}

function ownerOf(sinkId: string): string {
  return `alert sink ${sinkId}`;
}

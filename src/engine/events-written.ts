// Tells the outbox pump of this process that the engine, a consumer, webhooks or alerts wrote events here. The pump usually hears it before their
// commit; if it finds nothing, it looks again, at first soon and then less and less often.
const listeners = new Set<() => void>();

export function noteEventsWritten(): void {
  for (const listener of listeners) listener();
}

/** Returns how to stop listening. */
export function onEventsWritten(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

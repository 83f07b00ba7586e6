// Tells the outbox pump of this process that events were written here, by whoever wrote them: engine, consumers, webhooks, alerts. As a rule it is
// told before their commit; a pump that finds nothing looks again, first soon, then ever more rarely.
const listeners = new Set<() => void>();

export function noteEventsWritten(): void {
  for (const listener of listeners) listener();
}

/** Returns how to stop listening. */
export function onEventsWritten(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
